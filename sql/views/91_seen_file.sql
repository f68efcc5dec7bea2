-- The files whose rows were ever published, with the moment at which they were seen first:
-- that at which the first batch that has them was published. revision is when the source
-- published the file, or when it was ingested where that is not stated. seen_at is null for a
-- file of a batch that was retired before published_batch was begun; it was seen before
-- everything in that list. A fact was seen with its file:
--   SELECT quota, seen_at FROM fact_quota INNER JOIN seen_file ON sha256 = source_sha256 WHERE run = 9809 AND date = '2025-07-18'
CREATE OR REPLACE VIEW seen_file AS
SELECT
    files.dataset AS dataset, files.sha256 AS sha256, files.revision AS revision, files.first_batch AS first_batch,
    if(published.batch = 0, NULL, toNullable(published.published_at)) AS seen_at
FROM
(
    SELECT dataset, sha256, argMin(revision, batch) AS revision, min(batch) AS first_batch
    FROM batch_new_file
    WHERE batch <= (SELECT max(batch) FROM batch) AND batch NOT IN (SELECT batch FROM batch_failure)
    GROUP BY dataset, sha256
) AS files
LEFT JOIN (SELECT batch, published_at FROM published_batch) AS published ON published.batch = files.first_batch
SETTINGS join_use_nulls = 0
