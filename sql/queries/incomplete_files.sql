-- The value for forget_files.sql: at most 1,000 files that were complete, that no
-- published batch includes, and of which facts are missing now.
WITH arrived AS (SELECT sha256, keys FROM arrived_keys(states = ['unpublished']))
SELECT count() AS files, toString(groupArray(sha256)) AS list
FROM
(
    SELECT DISTINCT sha256
    FROM complete_file
    LEFT JOIN arrived USING (sha256)
    WHERE sha256 IN (SELECT sha256 FROM manifest)
      AND sha256 NOT IN (SELECT sha256 FROM batch_new_file WHERE batch <= (SELECT max(batch) FROM batch) AND batch NOT IN (SELECT batch FROM batch_failure))
      AND arrived.keys < complete_file.keys
    ORDER BY sha256
    LIMIT 1000
)
