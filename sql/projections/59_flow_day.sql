-- For each day between {from} and {to} that this batch builds: for how many series the net contributions
-- are known, of the day itself and of every quote since one month earlier. All series with a quote on the
-- day count, even if they have closed since.
--
-- chunks: market_chunks
INSERT INTO flow_day (date, build, series, daily_known, monthly_known)
SELECT
    date, {batch:UInt64},
    count(), countIf(flow IS NOT NULL), countIf(month_date IS NOT NULL AND last_without <= month_date)
FROM
(
    SELECT
        date, price, flow, month_date,
        maxIf(date, flow IS NULL) OVER (PARTITION BY series_id ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS last_without -- 1970-01-01 if there is none
    FROM batch_market_day(batch = {batch:UInt64}, from = subtractMonths(toDate({from:Date}), 1) - 7, to = {to:Date})
)
WHERE date >= {from:Date} AND price IS NOT NULL AND date IN (SELECT date FROM market_day_version WHERE build = {batch:UInt64})
GROUP BY date
