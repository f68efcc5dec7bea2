-- The newest checkpoints that were signed for the log of batches, also for logs of other names.
SELECT origin, size, root
FROM notary_head
ORDER BY noted_at DESC, size DESC
LIMIT 10000
