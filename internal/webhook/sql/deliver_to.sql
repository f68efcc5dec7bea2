-- Enqueues event $2 for webhook $1, due at $3.
INSERT INTO webhook_deliveries (webhook_id, event_id, created_at, due_at, attempts) VALUES ($1, $2, $3, $3, 0)
