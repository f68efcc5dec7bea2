-- The current register line of each mutual fund as batch N sees it.
--   SELECT * FROM fund_of(batch = 7) WHERE run = 9809
CREATE OR REPLACE VIEW fund_of AS
SELECT *
FROM fact_fund
WHERE source_sha256 IN (SELECT sha256 FROM source_of(batch = {batch:UInt64}))
ORDER BY run, revision DESC, source_sha256 DESC, source_line DESC
LIMIT 1 BY run
