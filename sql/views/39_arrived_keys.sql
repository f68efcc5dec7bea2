-- How many keys of each file have arrived as facts, counted as manifests count them. It
-- covers the files of some states (file_state).
--   SELECT * FROM arrived_keys(states = ['incomplete'])
CREATE OR REPLACE VIEW arrived_keys AS
WITH files AS (SELECT dataset, sha256 FROM file_state WHERE has({states:Array(String)}, state))
SELECT source_sha256 AS sha256, uniqExact(run, serie, date) AS keys FROM fact_quota
WHERE NOT void AND source_sha256 IN (SELECT sha256 FROM files WHERE dataset = 'cartola') GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(run, serie, date) FROM fact_investment_value
WHERE NOT void AND source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
UNION ALL
-- Every other table of facts.
SELECT source_sha256, uniqExact(natural_key)
FROM merge(currentDatabase(), (SELECT pattern FROM keyed_fact_table))
WHERE source_sha256 IN (SELECT sha256 FROM files) GROUP BY _table, source_sha256
