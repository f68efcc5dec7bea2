-- The days whose returns a batch builds, in chunks that span at most about a million rows of
-- return_day, built or not. So memory grows neither with the history nor with the number of
-- series. They come in the order of days.
--   finer  how many times smaller the chunks are; 1 except in tests
SELECT toString(min(date)) AS first, toString(max(date)) AS last
FROM
(
    SELECT date, built, intDiv(row_number() OVER (ORDER BY date) * (SELECT count() FROM registry WHERE kind IN ('series', 'fi_series')), intDiv(1000000, {finer:UInt32})) AS chunk
    FROM (SELECT date, max(build = {batch:UInt64}) AS built FROM return_day_version GROUP BY date)
)
WHERE built
GROUP BY chunk
ORDER BY first
