-- UF and dólar observado as batch N sees them, with corrections applied.
--   SELECT * FROM batch_indicator(batch = 7) WHERE code = 'uf' AND date = '2025-07-20'
CREATE OR REPLACE VIEW batch_indicator AS
SELECT code, date, value, source_sha256, revision
FROM fact_indicator
WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
ORDER BY code, date, revision DESC, source_sha256 DESC, source_line DESC
LIMIT 1 BY code, date
