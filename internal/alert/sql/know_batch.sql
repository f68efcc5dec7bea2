-- From now on the events of a batch are known. handled_at: nobody is to be mailed.
INSERT INTO alert_batch (batch_id, as_of, found_at, handled_at)
VALUES ($1, $2, $3, $4)
ON CONFLICT (batch_id) DO NOTHING
