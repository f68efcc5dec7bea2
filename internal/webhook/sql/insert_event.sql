-- Stores an event; no row if it is stored already.
INSERT INTO webhook_events (id, type, batch_id, body, created_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (id) DO NOTHING
RETURNING id
