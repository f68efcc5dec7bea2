-- What came of attempt $9 at $1: with status $2, failure $3 and the reply $4. It is tried again at
-- $5, or it has ended as $6. No row if another process has taken it since.
UPDATE webhook_deliveries
SET tried_at = $1, status = $2, failure = $3, reply = $4, due_at = $5, ended = $6,
    ended_at = CASE WHEN CAST($6 AS TEXT) IS NULL THEN NULL ELSE CAST($1 AS BIGINT) END
WHERE webhook_id = $7 AND event_id = $8 AND attempts = $9 AND due_at IS NOT NULL
RETURNING webhook_id
