UPDATE api_keys SET revoked_at = $1 WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $1)
