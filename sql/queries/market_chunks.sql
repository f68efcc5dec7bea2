-- The days of the market that a batch builds, in chunks that span at most about a million
-- rows of the market, built or not. So memory does not grow with the history, a small
-- market is one chunk, and building an old day does not read all days since.
SELECT toString(min(built.date)) AS first, toString(max(built.date)) AS last
FROM (SELECT date, build FROM market_day_version WHERE build = {batch:UInt64}) AS built
ASOF LEFT JOIN
(
    SELECT date, {batch:UInt64} AS build, intDiv(sum(rows_of_day) OVER (ORDER BY date), intDiv(1000000, {finer:UInt32})) AS chunk
    FROM (SELECT date, count() AS rows_of_day FROM series_day GROUP BY date)
) AS sized ON sized.build = built.build AND sized.date <= built.date
GROUP BY chunk
ORDER BY first
SETTINGS join_use_nulls = 0
