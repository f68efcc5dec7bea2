UPDATE outbox SET due_at = $1 WHERE id = $2 AND sealed IS NOT NULL
