-- The days that a batch has in a LIST, whose COLUMN is its number, in chunks that span at most about a million rows of
-- the market.
SELECT toString(min(due.date)) AS first, toString(max(due.date)) AS last
FROM (SELECT DISTINCT date, COLUMN FROM LIST WHERE COLUMN = {batch:UInt64}) AS due
ASOF LEFT JOIN
(
    SELECT
        date, {batch:UInt64} AS COLUMN,
        intDiv(sum(rows_of_day) OVER (ORDER BY date), intDiv(1000000, {finer:UInt32})) AS chunk
    FROM (SELECT date, count() AS rows_of_day FROM series_day GROUP BY date)
) AS sized ON sized.COLUMN = due.COLUMN AND sized.date <= due.date
GROUP BY chunk
ORDER BY first
