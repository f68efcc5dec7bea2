-- Series that appear for the first time in the files that are new in this batch.
INSERT INTO quota_series (batch, run, serie)
SELECT DISTINCT {batch:UInt64}, run, toString(serie)
FROM fact_quota
WHERE source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE parts.seen_by_batch(key: batch) AND ({rebuild:Bool} OR batch > {previous:UInt64}))
  AND (run, serie) NOT IN (SELECT run, serie FROM quota_series WHERE batch NOT IN (SELECT batch FROM batch_failure))
