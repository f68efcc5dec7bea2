-- The batch, if somebody may still lack a mail about it. The update changes nothing, but another process that would
-- tell the same people waits.
UPDATE alert_batch SET as_of = as_of WHERE batch_id = $1 AND handled_at IS NULL RETURNING batch_id
