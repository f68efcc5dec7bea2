-- The days whose returns a batch builds, in chunks that span at most about a million rows of
-- return_day, built or not. On each day there are at most as many as series had a quote by then. So
-- memory grows neither with the history nor with the number of series, and ids without a quote make
-- no chunks. They come in the order of days.
SELECT toString(min(date)) AS first, toString(max(date)) AS last
FROM
(
    SELECT date, built, intDiv(sum(begun) OVER (ORDER BY date), intDiv(1000000, {finer:UInt32})) AS chunk
    FROM (SELECT date, max(build = {batch:UInt64}) AS built, true AS in_market FROM return_day_version GROUP BY date) AS days
    ASOF LEFT JOIN
    (
        SELECT first_date, true AS in_market, sum(count()) OVER (ORDER BY first_date) AS begun
        FROM
        (
            SELECT min(date) AS first_date FROM series_day GROUP BY series_id
            UNION ALL
            SELECT min(date) FROM fi_day GROUP BY series_id
        )
        GROUP BY first_date
    ) AS series ON series.in_market = days.in_market AND series.first_date <= days.date
)
WHERE built
GROUP BY chunk
ORDER BY first
