-- The current register line of each mutual fund as batch N sees it.
--   SELECT * FROM batch_fund(batch = 7) WHERE run = 9809
CREATE OR REPLACE VIEW batch_fund AS
SELECT *
FROM fact_fund
WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
ORDER BY run, revision DESC, source_sha256 DESC, source_line DESC
LIMIT 1 BY run
