-- The days of which a batch computes again how completely the market has reported them, in order, in chunks of at most
-- about 400,000 rows of the market, where a day counts as 180 rows more. So memory grows neither with the history nor
-- with the number of series. Chunks are no smaller, because planning one takes 100 ms, and each of its days 0.2 ms.
SELECT toString(min(date)) AS first, toString(max(date)) AS last
FROM
(
    SELECT date, intDiv(sum(weight) OVER (ORDER BY date), intDiv(400000, {finer:UInt32})) AS chunk
    FROM
    (
        SELECT date, count() + 180 AS weight FROM series_day
        WHERE date IN (SELECT date FROM batch_unjudged_day(batch = {batch:UInt64}, previous = {previous:UInt64}))
        GROUP BY date
    )
)
GROUP BY chunk
ORDER BY first
