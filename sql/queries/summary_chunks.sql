-- The days of which a batch computes the market summary, in chunks that span at most about a million
-- rows of the market, as market_chunks.sql has them for the days that it builds.
SELECT toString(min(due.date)) AS first, toString(max(due.date)) AS last
FROM (SELECT DISTINCT date, batch FROM summary_day_version WHERE batch = {batch:UInt64}) AS due
ASOF LEFT JOIN
(
    SELECT date, {batch:UInt64} AS batch, intDiv(sum(rows_of_day) OVER (ORDER BY date), intDiv(1000000, {finer:UInt32})) AS chunk
    FROM (SELECT date, count() AS rows_of_day FROM series_day GROUP BY date)
) AS sized ON sized.batch = due.batch AND sized.date <= due.date
GROUP BY chunk
ORDER BY first
SETTINGS join_use_nulls = 0
