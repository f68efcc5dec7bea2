-- Whether the events of a batch are known.
SELECT count(*) FROM alert_batch WHERE batch_id = $1
