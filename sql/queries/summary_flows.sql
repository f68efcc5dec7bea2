-- For how many series of some days the net contributions are known: those of the day, and
-- those of every quote since one month earlier. All series with a quote on the day count,
-- even if they have closed since.
--   batch     number of the batch
--   from, to  first and last day
SELECT
    date,
    count()                   AS series,
    countIf(flow IS NOT NULL) AS daily,
    countIf(month_date IS NOT NULL AND last_without <= month_date) AS monthly
FROM
(
    SELECT
        date, price, flow, month_date,
        maxIf(date, flow IS NULL) OVER (PARTITION BY series_id ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS last_without -- 1970-01-01 if there is none
    FROM batch_market_day(batch = {batch:UInt64}, from = subtractMonths(toDate({from:Date}), 1) - 7, to = {to:Date})
)
WHERE date >= {from:Date} AND price IS NOT NULL
GROUP BY date
ORDER BY date
