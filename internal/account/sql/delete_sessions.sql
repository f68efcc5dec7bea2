DELETE FROM sessions WHERE account_id = $1
