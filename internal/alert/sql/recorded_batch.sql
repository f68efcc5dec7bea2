-- From now on no event of a batch is written down any more.
UPDATE alert_batch SET recorded_at = $1 WHERE batch_id = $2 AND recorded_at IS NULL
