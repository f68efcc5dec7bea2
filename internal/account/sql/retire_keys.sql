-- Sets the end of key $2 to moment $1, and of those of the same account, tier and name that would answer for longer.
-- They are revoked at moment $3, unless it is NULL.
UPDATE api_keys
SET expires_at = CAST($1 AS BIGINT), revoked_at = CAST($3 AS BIGINT)
WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > CAST($1 AS BIGINT))
  AND (account_id, tier, COALESCE(name, '')) =
      (SELECT account_id, tier, COALESCE(name, '') FROM api_keys WHERE id = CAST($2 AS TEXT))
