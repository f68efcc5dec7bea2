-- Comes last: notes that the batch was dropped.
--
-- garbage: retired
INSERT INTO retired_batch (batch) SELECT {batch:UInt64}
