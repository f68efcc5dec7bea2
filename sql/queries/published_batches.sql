-- The published batches that are kept, the newest first. For each: whether it noted the rows of
-- its tables, whether these notes were lost, and whether the batch was found damaged.
SELECT
    batch, batch_id, noted,
    noted AND batch NOT IN (SELECT batch FROM batch_table WHERE piece = '') AS notes_lost,
    batch IN (SELECT batch FROM batch_damage)                               AS damaged
FROM batch
ORDER BY batch DESC
