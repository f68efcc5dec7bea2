-- The secrets of webhook $1 that sign at $2, the newest first.
SELECT id, sealed FROM webhook_secrets
WHERE webhook_id = $1 AND (ends_at IS NULL OR ends_at > $2)
ORDER BY (CASE WHEN ends_at IS NULL THEN 0 ELSE 1 END), created_at DESC, id
