-- Number for the next batch: above every batch that was ever begun. The attempts alone
-- would tell, were they not lost.
SELECT max(batch) + 1 AS next FROM
(
    SELECT max(batch) AS batch FROM batch_attempt
    UNION ALL SELECT max(batch) FROM batch
    UNION ALL SELECT max(batch) FROM batch_failure
    UNION ALL SELECT max(batch) FROM retired_batch
    UNION ALL SELECT max(batch) FROM batch_source
    UNION ALL SELECT max(batch) FROM batch_table
    UNION ALL SELECT max(build) FROM day_build
)
