-- Lets a message be taken again at $1, unless somebody else has taken it since.
UPDATE outbox SET due_at = $1 WHERE id = $2 AND attempts = $3 AND sealed IS NOT NULL
