INSERT INTO webhooks (id, account_id, address, created_at) VALUES ($1, $2, $3, $4)
