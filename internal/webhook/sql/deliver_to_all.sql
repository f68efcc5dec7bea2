-- Enqueues event $1 for every webhook that is not disabled, due at $2.
INSERT INTO webhook_deliveries (webhook_id, event_id, created_at, due_at, attempts)
SELECT id, CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($2 AS BIGINT), 0 FROM webhooks WHERE disabled_at IS NULL
ON CONFLICT (webhook_id, event_id) DO NOTHING
