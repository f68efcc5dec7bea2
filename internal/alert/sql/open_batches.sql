-- Batches of which events may still be missing.
SELECT batch_id FROM alert_batch WHERE recorded_at IS NULL
