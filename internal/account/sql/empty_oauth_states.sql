DELETE FROM oauth_states
