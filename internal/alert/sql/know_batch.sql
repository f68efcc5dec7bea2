-- From now on a batch is known. recorded_at: all its events are in alert_event.
-- handled_at: nobody is to be mailed.
INSERT INTO alert_batch (batch_id, as_of, found_at, recorded_at, handled_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (batch_id) DO NOTHING
