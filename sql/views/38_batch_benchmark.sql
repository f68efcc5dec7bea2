-- The catalogue of benchmarks as batch N sees it, including those that are no longer
-- active: the index with which each family is compared, and the instrument whose price
-- represents the index.
--   SELECT * FROM batch_benchmark(batch = 7) WHERE active ORDER BY family_rar
CREATE OR REPLACE VIEW batch_benchmark AS
parts.newest_facts(table: fact_benchmark; key: family_rar, symbol)
