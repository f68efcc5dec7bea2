-- Revokes the account's active key of one tier, and gives the id under which its
-- requests are counted; no row when there is none.
UPDATE api_keys
SET revoked_at = $1
WHERE account_id = $2 AND tier = $3 AND revoked_at IS NULL
RETURNING COALESCE(counted_as, id)
