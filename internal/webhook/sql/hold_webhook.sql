-- Locks the row of a webhook without changing it.
UPDATE webhooks SET created_at = created_at WHERE id = $1 RETURNING failing_since
