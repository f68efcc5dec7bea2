-- Takes the message due for longest at $1, for whoever asks alone until $2; one
-- of a list only when no other is due, none that has expired. Two processes may
-- choose the same row: the second waits for the first, then finds it due no more and
-- takes nothing.
UPDATE outbox
SET due_at = $2, attempts = attempts + 1
WHERE due_at <= $1 AND sealed IS NOT NULL
  AND id = (SELECT id FROM outbox
            WHERE due_at <= $1 AND sealed IS NOT NULL AND (expires_at IS NULL OR expires_at > $1)
            ORDER BY list, due_at, id
            LIMIT 1)
RETURNING id, sealed, attempts
