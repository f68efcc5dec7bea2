-- The catalogue of benchmarks as batch N sees it, including those that are no longer
-- active: the index with which each family is compared, and the instrument whose price
-- represents the index.
--   SELECT * FROM batch_benchmark(batch = 7) WHERE active ORDER BY family_rar
CREATE OR REPLACE VIEW batch_benchmark AS
SELECT *
FROM fact_benchmark
WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
ORDER BY family_rar, symbol, revision DESC, source_sha256 DESC, source_line DESC
LIMIT 1 BY family_rar, symbol
