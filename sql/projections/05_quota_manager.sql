-- The manager of each fund, according to the files that are new in this batch.
INSERT INTO quota_manager (batch, run, manager_rut, manager, stated_on)
SELECT {batch:UInt64}, run, manager_rut, manager, max(date)
FROM fact_quota
WHERE source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE parts.seen_by_batch(key: batch) AND ({rebuild:Bool} OR batch > {previous:UInt64}))
  AND NOT void
GROUP BY run, manager_rut, manager
