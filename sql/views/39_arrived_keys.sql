-- How many keys of each file have arrived as facts, counted as manifests count them. It
-- covers the files that are not complete, or, if complete is set, the complete files that
-- no published batch includes.
--   SELECT * FROM arrived_keys(complete = false)
CREATE OR REPLACE VIEW arrived_keys AS
WITH files AS
(
    SELECT dataset, sha256 FROM manifest
    WHERE (sha256 IN (SELECT sha256 FROM complete_file)) = {complete:Bool}
      AND (NOT {complete:Bool} OR sha256 NOT IN
          (SELECT sha256 FROM batch_new_file WHERE batch <= (SELECT max(batch) FROM batch) AND batch NOT IN (SELECT batch FROM batch_failure)))
)
SELECT source_sha256 AS sha256, uniqExact(run, serie, date) AS keys FROM fact_quota
WHERE NOT void AND source_sha256 IN (SELECT sha256 FROM files WHERE dataset = 'cartola') GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(run, serie, date) FROM fact_investment_value
WHERE NOT void AND source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
UNION ALL
-- Every other table of facts: those with a natural_key.
SELECT source_sha256, uniqExact(natural_key)
FROM merge(currentDatabase(), (SELECT concat('^(', arrayStringConcat(groupArray(table), '|'), ')$') FROM system.columns WHERE database = currentDatabase() AND name = 'natural_key'))
WHERE source_sha256 IN (SELECT sha256 FROM files) GROUP BY _table, source_sha256
