-- Takes back $3 of the requests of key $1 that were counted on day $2 and did
-- not come.
UPDATE daily_usage SET requests = requests - CAST($3 AS BIGINT)
WHERE key_id = $1 AND day = $2 AND requests > CAST($3 AS BIGINT)
