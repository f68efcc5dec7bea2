-- A message that was carried or given up, if it is one that expires: its id is not
-- needed.
DELETE FROM outbox WHERE id = $1 AND sealed IS NULL AND expires_at IS NOT NULL
