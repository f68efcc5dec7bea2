-- The links that answer at moment $1, with their keys: those of account $2, or all if it is NULL.
SELECT l.id, l.address, l.created_at, l.expires_at, l.used_on, k.id, k.last4, a.email
FROM address_links AS l
JOIN api_keys AS k ON k.id = l.key_id
JOIN accounts AS a ON a.id = k.account_id
WHERE l.expires_at > $1 AND l.revoked_at IS NULL AND k.revoked_at IS NULL
  AND (k.expires_at IS NULL OR k.expires_at > $1) AND (CAST($2 AS TEXT) IS NULL OR a.id = CAST($2 AS TEXT))
ORDER BY a.email, l.created_at, l.id
