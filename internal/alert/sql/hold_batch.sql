-- Whether a batch is one of which nobody is told; no row when all its events were
-- written down. The update changes nothing, but whoever would end it waits.
UPDATE alert_batch SET as_of = as_of WHERE batch_id = $1 AND recorded_at IS NULL RETURNING handled_at IS NOT NULL
