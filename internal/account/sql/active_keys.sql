SELECT id, last4, name, tier, daily_quota, quota_enforced, created_at, counted_as
FROM api_keys
WHERE account_id = $1 AND revoked_at IS NULL
ORDER BY created_at, id
