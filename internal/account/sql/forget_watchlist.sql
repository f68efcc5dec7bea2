DELETE FROM watchlist WHERE account_id = $1
