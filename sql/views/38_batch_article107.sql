-- The current assessment of what each fund's regulation declares about article
-- 107, as batch N sees it (RULES 10). Funds without one have no row: their status
-- is unknown.
--   SELECT run, status, assessed_at FROM batch_article107(batch = 7) WHERE run = 8011
CREATE OR REPLACE VIEW batch_article107 AS
SELECT *
FROM fact_article107
WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
ORDER BY run, revision DESC, source_sha256 DESC, source_line DESC
LIMIT 1 BY run
