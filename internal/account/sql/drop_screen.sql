DELETE FROM saved_screens WHERE account_id = $1 AND name = $2
