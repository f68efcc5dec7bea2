-- The newest batches published after a moment that can be read and are not damaged, the newest first. Each
-- has the moment of its publication, its cutoff and the batch that was published before it; '' if there is none.
--   since  Unix milliseconds
SELECT batch_id, published_at, as_of, previous
FROM
(
    SELECT
        batch_id, published_at, ifNull(toString(as_of_date), '') AS as_of, batch AS number, kept, damaged,
        any(batch_id) OVER (ORDER BY batch ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING) AS previous
    FROM published_batch
    WHERE parts.moment_has_come(moment: published_at)
)
WHERE kept AND NOT damaged AND published_at > fromUnixTimestamp64Milli({since:Int64})
ORDER BY number DESC
LIMIT 50
