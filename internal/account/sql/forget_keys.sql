-- Revokes every key of the account, and forgets what its owner called them.
UPDATE api_keys SET revoked_at = COALESCE(revoked_at, $1), name = NULL WHERE account_id = $2
