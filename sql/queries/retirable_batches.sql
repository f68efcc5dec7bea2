-- Batches that are not among the newest {keep}: published ones, and those that were begun
-- before the oldest kept batch and never published, which may have left rows.
WITH (SELECT min(batch) FROM (SELECT batch FROM batch ORDER BY batch DESC LIMIT {keep:UInt32})) AS oldest_kept
SELECT DISTINCT batch FROM
(
    SELECT batch FROM batch
    UNION ALL SELECT batch FROM batch_failure
    UNION ALL SELECT batch FROM screener
    UNION ALL SELECT batch FROM market_completeness
)
WHERE batch < oldest_kept AND batch NOT IN (SELECT batch FROM retired_batch)
ORDER BY batch
