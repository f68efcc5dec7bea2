-- Every name of every series, renamed or not, as batch N sees it. What a catalogue says
-- about a name applies to its series_id. If several names of a series are possible, the one
-- that is valid on the day counts, else the newest of them: ORDER BY date BETWEEN
-- valid_from AND valid_until DESC, position.
--   SELECT * FROM batch_series_name(batch = 7) WHERE run = 9809 ORDER BY series_id, position
CREATE OR REPLACE VIEW batch_series_name AS
SELECT
    registered.run AS run, registered.serie AS serie, registered.id AS label_id,
    if(renamed.position = 0, registered.id, renamed.series_id)              AS series_id,
    if(renamed.position = 0, 1, renamed.position)                           AS position,
    if(renamed.position = 0, toDate('1970-01-01'), renamed.valid_from)      AS valid_from,
    if(renamed.position = 0, toDate('2149-06-06'), renamed.valid_until)     AS valid_until
FROM (SELECT id, run, serie FROM registry WHERE kind = 'series' AND batch <= {batch:UInt64}) AS registered
LEFT JOIN (SELECT * FROM series_label WHERE batch = {batch:UInt64}) AS renamed ON renamed.label_id = registered.id
SETTINGS join_use_nulls = 0
