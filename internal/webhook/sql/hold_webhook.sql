-- Changes nothing, but another process that changes the same webhook waits.
UPDATE webhooks SET created_at = created_at WHERE id = $1 RETURNING failing_since
