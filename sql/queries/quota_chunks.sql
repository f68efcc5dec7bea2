-- The days of mutual funds that a batch builds, in chunks of at most about two million rows of series_day.
-- So memory grows neither with the history nor with the number of series. They come in the order of days.
SELECT toString(min(date)) AS first, toString(max(date)) AS last
FROM
(
    SELECT date, intDiv(row_number() OVER (ORDER BY date) * (SELECT count() FROM registry WHERE kind = 'series'), 2000000) AS chunk
    FROM series_day_version
    WHERE build = {batch:UInt64}
)
GROUP BY chunk
ORDER BY first
