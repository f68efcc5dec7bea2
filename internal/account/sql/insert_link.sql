INSERT INTO links (digest, purpose, email, return_url, browser, expires_at)
VALUES ($1, $2, $3, $4, $5, $6)
