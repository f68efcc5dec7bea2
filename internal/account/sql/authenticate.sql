-- The key with this digest, if it answers at moment $2. Unknown, revoked and expired keys give no row alike.
SELECT id, last4, name, tier, daily_quota, quota_enforced, created_at, counted_as, scopes, expires_at, used_on, digest
FROM api_keys
WHERE digest = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
