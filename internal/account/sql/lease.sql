-- Counts $4 requests of key $1 on day $2 unless that would pass $3, and gives
-- the new count; no row when it is refused. Deciding and counting are this one
-- statement, under the row's lock, so no two requests can share the last unit.
INSERT INTO daily_usage (key_id, day, requests)
SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), CAST($4 AS BIGINT)
WHERE CAST($3 AS BIGINT) >= CAST($4 AS BIGINT)
ON CONFLICT (key_id, day) DO UPDATE SET requests = daily_usage.requests + CAST($4 AS BIGINT)
WHERE daily_usage.requests <= CAST($3 AS BIGINT) - CAST($4 AS BIGINT)
RETURNING requests
