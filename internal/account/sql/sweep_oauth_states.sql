DELETE FROM oauth_states WHERE expires_at <= $1
