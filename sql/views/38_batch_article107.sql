-- The current assessment of what each fund's regulation declares about article
-- 107, as batch N sees it (RULES 10). Funds without one have no row: their status
-- is unknown.
--   SELECT run, status, assessed_at FROM batch_article107(batch = 7) WHERE run = 8011
CREATE OR REPLACE VIEW batch_article107 AS
parts.newest_facts(table: fact_article107; key: run)
