-- The id under which the requests of key $1 of account $2 are counted; no row if the key is revoked, has an end, or is
-- of another account.
SELECT COALESCE(counted_as, id)
FROM api_keys
WHERE id = $1 AND account_id = $2 AND revoked_at IS NULL AND expires_at IS NULL
