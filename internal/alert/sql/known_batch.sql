-- Whether all events of a batch were written down.
SELECT count(*) FROM alert_batch WHERE batch_id = $1 AND recorded_at IS NOT NULL
