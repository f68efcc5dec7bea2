-- The cost rate of each series that was known at a date, as batch N sees it (RULES 2): the one
-- that is in force since the newest month end on or before the date.
--   SELECT * FROM tac_as_of(batch = 7, as_of = '2025-06-30') WHERE run = 9809
CREATE OR REPLACE VIEW tac_as_of AS
SELECT registered.run AS run, registered.serie AS serie, series_id, month AS date, tac_kind, kind, source, tac, investor_class
FROM batch_tac_in_force(batch = {batch:UInt64}) AS rates
INNER JOIN (SELECT id, run, serie FROM registry WHERE kind = 'series') AS registered ON registered.id = rates.series_id
WHERE valid_from <= {as_of:Date}
ORDER BY series_id, valid_from DESC
LIMIT 1 BY series_id
