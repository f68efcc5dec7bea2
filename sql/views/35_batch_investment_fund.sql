-- The current register line of each investment fund as batch N sees it.
--   SELECT * FROM batch_investment_fund(batch = 7) WHERE kind = 'FIRES'
CREATE OR REPLACE VIEW batch_investment_fund AS
parts.newest_facts(table: fact_investment_fund; key: run)
