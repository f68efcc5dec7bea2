-- Which funds are known to be exchange-traded, and which are known not to be, as batch N
-- sees it. A fund without a row is unknown (RULES 11).
--   SELECT * FROM vehicle_of(batch = 7) WHERE is_etf
CREATE OR REPLACE VIEW vehicle_of AS
SELECT *
FROM fact_vehicle
WHERE source_sha256 IN (SELECT sha256 FROM source_of(batch = {batch:UInt64}))
ORDER BY run, revision DESC, source_sha256 DESC, source_line DESC
LIMIT 1 BY run
