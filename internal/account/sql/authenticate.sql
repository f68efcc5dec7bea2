-- The active key with this digest. Unknown and revoked keys give no row alike.
SELECT id, last4, name, tier, daily_quota, quota_enforced, created_at, counted_as, digest
FROM api_keys
WHERE digest = $1 AND revoked_at IS NULL
