-- The links that answer at moment $1, with their keys.
SELECT l.id, l.address, l.created_at, l.expires_at, k.id, k.last4, a.email
FROM address_links AS l
JOIN api_keys AS k ON k.id = l.key_id
JOIN accounts AS a ON a.id = k.account_id
WHERE l.expires_at > $1 AND l.revoked_at IS NULL AND k.revoked_at IS NULL
ORDER BY a.email, l.created_at, l.id
