UPDATE alert_batch SET handled_at = $1 WHERE batch_id = $2 AND handled_at IS NULL
