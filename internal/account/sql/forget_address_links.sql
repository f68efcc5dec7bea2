DELETE FROM address_links WHERE key_id IN (SELECT id FROM api_keys WHERE account_id = $1)
