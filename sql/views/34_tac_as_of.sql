-- The cost rate of each series that was known at a date, as batch N sees it. Of the months
-- that end on or before the date, it is the newest synthetic rate, if its month is less than
-- a year before the newest month of the series. Else it is the newest real rate, and a stated
-- one before a computed one.
--   SELECT * FROM tac_as_of(batch = 7, as_of = '2025-06-30') WHERE run = 9809
CREATE OR REPLACE VIEW tac_as_of AS
SELECT registered.run AS run, registered.serie AS serie, series_id, month AS date, tac_kind, kind, source, assumeNotNull(rates.tac) AS tac, investor_class
FROM
(
    SELECT series_id, month, tac_kind, kind, source, tac, investor_class, kind = 'synthetic' AND addYears(month, 1) > max(month) OVER (PARTITION BY series_id) AS leads
    FROM tac_month
    WHERE batch = {batch:UInt64} AND month <= {as_of:Date} AND tac IS NOT NULL
) AS rates
INNER JOIN (SELECT id, run, serie FROM registry WHERE kind = 'series') AS registered ON registered.id = rates.series_id
ORDER BY series_id, leads DESC, month DESC, kind, tac_kind = 'stated' DESC
LIMIT 1 BY series_id
