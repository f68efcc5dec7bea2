DELETE FROM links WHERE expires_at <= $1
