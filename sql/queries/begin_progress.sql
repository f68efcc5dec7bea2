-- States, at the start of a projector, whether there are other copies. An only copy may always answer. A copy with a name
-- has heard of nothing yet, unless the newest row is its own.
--   copy, now  its name, and the time
INSERT INTO copy_progress (copy, caught_up_at, valid_ms)
WITH (SELECT max(caught_up_at) FROM copy_progress) AS heard
SELECT {copy:String}, greatest({now:DateTime64(3, 'UTC')}, addMilliseconds(heard, 1)), if({copy:String} = '', 0, 1)
WHERE {copy:String} = '' OR {copy:String} != (SELECT argMax(copy, caught_up_at) FROM copy_progress)
