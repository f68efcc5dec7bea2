-- The key of the link with this digest, and the address that it answers at moment $2. Unknown, expired and revoked
-- links, and those of such keys, give no row alike.
SELECT k.id, k.last4, k.name, k.tier, k.daily_quota, k.quota_enforced, k.created_at, k.counted_as, k.scopes, k.expires_at,
       k.used_on, l.digest, l.address, l.used_on
FROM address_links AS l
JOIN api_keys AS k ON k.id = l.key_id
WHERE l.digest = $1 AND l.expires_at > $2 AND l.revoked_at IS NULL AND k.revoked_at IS NULL
  AND (k.expires_at IS NULL OR k.expires_at > $2)
