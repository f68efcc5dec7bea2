-- The days whose returns a batch builds, in chunks of at most about a million rows, so that
-- memory grows neither with the history nor with the number of series.
SELECT min(date) AS first_day, max(date) AS last_day
FROM
(
    SELECT date, intDiv(row_number() OVER (ORDER BY date) * (SELECT count() FROM registry WHERE kind IN ('series', 'fi_series')), 1000000) AS chunk
    FROM return_day_version
    WHERE build = {batch:UInt64}
)
GROUP BY chunk
ORDER BY first_day
