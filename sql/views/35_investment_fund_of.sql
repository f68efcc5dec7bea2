-- The current register line of each investment fund as batch N sees it.
--   SELECT * FROM investment_fund_of(batch = 7) WHERE kind = 'FIRES'
CREATE OR REPLACE VIEW investment_fund_of AS
SELECT *
FROM fact_investment_fund
WHERE source_sha256 IN (SELECT sha256 FROM source_of(batch = {batch:UInt64}))
ORDER BY run, revision DESC, source_sha256 DESC, source_line DESC
LIMIT 1 BY run
