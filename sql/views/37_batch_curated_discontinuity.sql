-- The curated discontinuities of series as batch N sees them. No return spans the day of
-- one (RULES 1). An event that names any name of a renamed series applies to the series.
--   SELECT * FROM batch_curated_discontinuity(batch = 7)
CREATE OR REPLACE VIEW batch_curated_discontinuity AS
SELECT labels.series_id AS series_id, run, serie, date, note, evidence_url, evidence_sha256
FROM
(parts.newest_facts(table: fact_discontinuity; key: run, serie, date)) AS events
INNER JOIN (SELECT run, serie, series_id, position FROM batch_series_name(batch = {batch:UInt64})) AS labels USING (run, serie)
ORDER BY series_id, date, position
LIMIT 1 BY series_id, date
