-- The curated discontinuities of series as batch N sees them: no return reaches
-- over their day (RULES 1).
--   SELECT * FROM discontinuity_of(batch = 7)
CREATE OR REPLACE VIEW discontinuity_of AS
SELECT registered.id AS series_id, run, serie, date, note, evidence_url, evidence_sha256
FROM
(
    SELECT *
    FROM fact_discontinuity
    WHERE source_sha256 IN (SELECT sha256 FROM source_of(batch = {batch:UInt64}))
    ORDER BY run, serie, date, revision DESC, source_sha256 DESC, source_line DESC
    LIMIT 1 BY run, serie, date
) AS events
INNER JOIN (SELECT id, run, serie FROM registry WHERE kind = 'series') AS registered USING (run, serie)
