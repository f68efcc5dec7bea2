-- The keys of account $1 that answer at moment $2.
SELECT id, last4, name, tier, daily_quota, quota_enforced, created_at, counted_as, scopes, expires_at, used_on
FROM api_keys
WHERE account_id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)
ORDER BY created_at, id
