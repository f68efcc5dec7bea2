-- A message that waits from now on. The id decides whether it is there already.
INSERT INTO outbox (id, recipient, list, sealed, created_at, due_at, attempts, expires_at)
VALUES ($1, $2, $3, $4, $5, $5, 0, $6)
ON CONFLICT (id) DO NOTHING
