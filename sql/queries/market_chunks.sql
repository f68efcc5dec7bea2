-- The days of the market that a batch builds, in chunks of at most a year, so
-- that memory does not grow with history.
SELECT min(date) AS first_day, max(date) AS last_day
FROM market_build
WHERE build = {batch:UInt64}
GROUP BY toYear(date)
ORDER BY first_day
