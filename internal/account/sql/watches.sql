SELECT count(*) FROM watchlist WHERE account_id = $1 AND series_id = $2
