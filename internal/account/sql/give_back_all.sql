-- Takes back all requests of key $1 that were counted on day $2, if they are $3. A day
-- without requests has no row.
DELETE FROM daily_usage
WHERE key_id = $1 AND day = $2 AND requests = CAST($3 AS BIGINT)
