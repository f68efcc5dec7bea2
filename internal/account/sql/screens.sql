SELECT name, query, added_at FROM saved_screens WHERE account_id = $1 ORDER BY added_at, name
