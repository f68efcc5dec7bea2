-- The published batches that are kept, the newest first, and whether each noted the rows
-- of its tables and was found damaged.
SELECT batch, noted, batch IN (SELECT batch FROM batch_damage) AS damaged
FROM batch
ORDER BY batch DESC
