-- The current cost rate of each series as batch N sees it: the newest synthetic
-- one, or, where there is none, the newest real one.
--   SELECT * FROM tac_of(batch = 7) WHERE run = 9809
CREATE OR REPLACE VIEW tac_of AS
SELECT registered.run AS run, registered.serie AS serie, series_id, month AS date, kind, source, assumeNotNull(rates.tac) AS tac, investor_class
FROM (SELECT * FROM tac_month WHERE batch = {batch:UInt64} AND tac IS NOT NULL) AS rates
INNER JOIN (SELECT id, run, serie FROM registry WHERE kind = 'series') AS registered ON registered.id = rates.series_id
ORDER BY series_id, kind = 'synthetic' DESC, month DESC
LIMIT 1 BY series_id
