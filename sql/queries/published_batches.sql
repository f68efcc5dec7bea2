-- The published batches that are kept, the newest first, and for each whether it noted the
-- rows of its tables, and whether it was found damaged.
SELECT batch, noted, batch IN (SELECT batch FROM batch_damage) AS damaged
FROM batch
ORDER BY batch DESC
