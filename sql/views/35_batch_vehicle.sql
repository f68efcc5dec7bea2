-- Which funds are known to be exchange-traded, and which are known not to be, as batch N
-- sees it. A fund without a row is unknown (RULES 11).
--   SELECT * FROM batch_vehicle(batch = 7) WHERE is_etf
CREATE OR REPLACE VIEW batch_vehicle AS
SELECT *
FROM fact_vehicle
WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
ORDER BY run, revision DESC, source_sha256 DESC, source_line DESC
LIMIT 1 BY run
