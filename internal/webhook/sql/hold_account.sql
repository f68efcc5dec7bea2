-- Changes nothing, but whoever changes the same account waits. No row: the person was removed.
UPDATE accounts SET email = email WHERE id = $1 AND forgotten_at IS NULL RETURNING id
