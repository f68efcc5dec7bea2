-- Revokes the account's active key of one tier.
UPDATE api_keys
SET revoked_at = $1
WHERE account_id = $2 AND tier = $3 AND revoked_at IS NULL
