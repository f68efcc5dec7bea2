INSERT INTO sessions (digest, account_id, created_at, seen_at) VALUES ($1, $2, $3, $3)
