INSERT INTO api_keys (id, account_id, digest, last4, name, tier, daily_quota, quota_enforced, created_at, counted_as,
                      scopes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
