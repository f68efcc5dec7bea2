DELETE FROM address_links WHERE expires_at <= $1 OR revoked_at IS NOT NULL
