-- Which funds are known to be exchange-traded, and which are known not to be, as batch N
-- sees it. A fund without a row is unknown (RULES 11).
--   SELECT * FROM batch_vehicle(batch = 7) WHERE is_etf
CREATE OR REPLACE VIEW batch_vehicle AS
parts.newest_facts(table: fact_vehicle; key: run)
