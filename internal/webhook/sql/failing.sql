-- An attempt failed at $1.
UPDATE webhooks SET failing_since = $1 WHERE id = $2 AND failing_since IS NULL
