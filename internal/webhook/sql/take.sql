-- Leases a delivery until $2: of those due at $1, the one with the fewest attempts, and of these the one due for
-- longest. If two processes choose the same row, the second waits for the first, finds the row not due, and takes nothing.
UPDATE webhook_deliveries
SET due_at = $2, attempts = attempts + 1
WHERE due_at <= $1
  AND (webhook_id, event_id) = (SELECT webhook_id, event_id FROM webhook_deliveries
                                WHERE due_at <= $1
                                ORDER BY attempts, due_at, webhook_id
                                LIMIT 1)
RETURNING webhook_id, event_id, attempts
