-- What key $1 has spent on day $2; no row when nothing.
SELECT requests FROM daily_usage WHERE key_id = $1 AND day = $2
