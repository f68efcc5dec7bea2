-- Event $2 waits for webhook $1, from $3 on.
INSERT INTO webhook_deliveries (webhook_id, event_id, created_at, due_at, attempts) VALUES ($1, $2, $3, $3, 0)
