-- The active key of the link with this digest, and the address that it answers at moment $2. Unknown, expired and
-- revoked links, and those of revoked keys, give no row alike.
SELECT k.id, k.last4, k.name, k.tier, k.daily_quota, k.quota_enforced, k.created_at, k.counted_as, l.digest, l.address
FROM address_links AS l
JOIN api_keys AS k ON k.id = l.key_id
WHERE l.digest = $1 AND l.expires_at > $2 AND l.revoked_at IS NULL AND k.revoked_at IS NULL
