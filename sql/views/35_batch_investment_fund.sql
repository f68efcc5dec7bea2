-- The current register line of each investment fund as batch N sees it.
--   SELECT * FROM batch_investment_fund(batch = 7) WHERE kind = 'FIRES'
CREATE OR REPLACE VIEW batch_investment_fund AS
SELECT *
FROM fact_investment_fund
WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
ORDER BY run, revision DESC, source_sha256 DESC, source_line DESC
LIMIT 1 BY run
