-- Revokes a link of account $3, or of any if it is NULL.
UPDATE address_links SET revoked_at = $1
WHERE id = $2 AND revoked_at IS NULL
  AND key_id IN (SELECT id FROM api_keys WHERE CAST($3 AS TEXT) IS NULL OR account_id = CAST($3 AS TEXT))
