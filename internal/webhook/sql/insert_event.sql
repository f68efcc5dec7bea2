-- An event that is told from now on; no row if it was told before.
INSERT INTO webhook_events (id, type, batch_id, body, created_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (id) DO NOTHING
RETURNING id
