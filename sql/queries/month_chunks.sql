-- The months that a batch computes anew, in chunks of at most a year, so that
-- memory does not grow with history.
SELECT min(month) AS first_day, max(month) AS last_day
FROM month_build
WHERE batch = {batch:UInt64}
GROUP BY toYear(month)
ORDER BY first_day
