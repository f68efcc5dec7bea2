SELECT series_id, added_at FROM watchlist WHERE account_id = $1 ORDER BY added_at, series_id
