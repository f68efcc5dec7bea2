-- Takes the delivery that was tried least, and of these the one due for longest at $1, for whoever
-- asks alone until $2. Two processes may choose the same row: the second waits for the first, then
-- finds it due no more and takes nothing.
UPDATE webhook_deliveries
SET due_at = $2, attempts = attempts + 1
WHERE due_at <= $1
  AND (webhook_id, event_id) = (SELECT webhook_id, event_id FROM webhook_deliveries
                                WHERE due_at <= $1
                                ORDER BY attempts, due_at, webhook_id
                                LIMIT 1)
RETURNING webhook_id, event_id, attempts
