-- Batches whose events were written down, and of which somebody may still lack a mail.
SELECT batch_id, COALESCE(as_of, '') FROM alert_batch
WHERE handled_at IS NULL AND recorded_at IS NOT NULL
ORDER BY found_at, batch_id
