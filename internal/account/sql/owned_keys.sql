-- Keys with their owners, and the requests of day $1 that are counted for each,
-- those of keys that it replaced included: those that answer at moment $3, or all if $2.
SELECT k.id, k.last4, k.name, k.tier, k.daily_quota, k.quota_enforced, k.created_at, k.counted_as, k.scopes, k.expires_at,
       k.used_on, k.account_id, a.email, k.revoked_at, COALESCE(u.requests, 0)
FROM api_keys AS k
JOIN accounts AS a ON a.id = k.account_id
LEFT JOIN daily_usage AS u ON u.key_id = COALESCE(k.counted_as, k.id) AND u.day = CAST($1 AS TEXT)
WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > CAST($3 AS BIGINT)) OR CAST($2 AS BOOLEAN)
ORDER BY a.email, k.created_at, k.id
