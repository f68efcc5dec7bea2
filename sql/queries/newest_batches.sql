-- The newest batches that were published up to a batch, the newest first.
--   most   greatest number of batches
SELECT batch_id, published_at, as_of_date, kept AND NOT damaged AS readable
FROM published_batch
WHERE batch <= {batch:UInt64}
ORDER BY batch DESC
LIMIT {most:UInt32}
