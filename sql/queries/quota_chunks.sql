-- The days of mutual funds that a batch builds, in chunks that span at most about two million rows of
-- series_day, built or not. batch_quota remembers every row between the first and the last day of a chunk. So
-- memory grows neither with the history nor with the number of series. They come in the order of days.
SELECT toString(min(date)) AS first, toString(max(date)) AS last
FROM
(
    SELECT date, built, intDiv(row_number() OVER (ORDER BY date) * (SELECT count() FROM registry WHERE kind = 'series'), intDiv(2000000, {finer:UInt32})) AS chunk
    FROM (SELECT date, max(build = {batch:UInt64}) AS built FROM series_day_version GROUP BY date)
)
WHERE built
GROUP BY chunk
ORDER BY first
