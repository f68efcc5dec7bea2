INSERT INTO oauth_states (digest, browser, return_url, expires_at) VALUES ($1, $2, $3, $4)
