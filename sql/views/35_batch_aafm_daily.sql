-- The association's newest line about each series as batch N sees it. Series
-- names are cut to 12 characters there.
--   SELECT * FROM batch_aafm_daily(batch = 7) WHERE run = 9809
CREATE OR REPLACE VIEW batch_aafm_daily AS
SELECT *
FROM fact_aafm_daily
WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
ORDER BY run, serie, date DESC, revision DESC, source_sha256 DESC, source_line DESC
LIMIT 1 BY run, serie
