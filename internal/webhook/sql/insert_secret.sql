-- The current secret of a webhook.
INSERT INTO webhook_secrets (id, webhook_id, sealed, created_at) VALUES ($1, $2, $3, $4)
