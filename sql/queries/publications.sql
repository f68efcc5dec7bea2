-- The batches that were published up to a batch, the newest first: when each was published and when the next one was, its
-- cutoff, and whether it can be read.
--   limit, offset  the page
SELECT
    batch_id, published_at, if(parts.moment_has_come(moment: superseded_at), superseded_at, NULL) AS superseded_at,
    as_of_date, kept AND NOT damaged AS readable
FROM published_batch
WHERE batch <= {batch:UInt64}
ORDER BY batch DESC
LIMIT {limit:UInt64} OFFSET {offset:UInt64}
