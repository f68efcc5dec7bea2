-- Number of the next batch: greater than that of every batch that was ever begun.
-- batch_attempt alone would be enough, but its rows may be lost.
SELECT max(batch) + 1 AS next FROM
(
    SELECT max(batch) AS batch FROM batch_attempt
    UNION ALL SELECT max(batch) FROM batch
    UNION ALL SELECT max(batch) FROM batch_failure
    UNION ALL SELECT max(batch) FROM retired_batch
    UNION ALL SELECT max(batch) FROM batch_new_file
    UNION ALL SELECT max(batch) FROM batch_table
    UNION ALL SELECT max(build) FROM series_day_version
)
