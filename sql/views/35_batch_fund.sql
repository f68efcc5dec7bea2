-- The current register line of each mutual fund as batch N sees it.
--   SELECT * FROM batch_fund(batch = 7) WHERE run = 9809
CREATE OR REPLACE VIEW batch_fund AS
parts.newest_facts(table: fact_fund; key: run)
