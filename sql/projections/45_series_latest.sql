-- The latest day of each series on or before the cutoff, from the daily market
-- (40_market_day).
INSERT INTO series_latest
    (batch, series_id, date, quota, equity, shareholders, previous_date, previous_equity, daily_change,
     month_date, month_equity, monthly_change)
SELECT
    {batch:UInt64}, series_id, date, price, equity, shareholders, previous_date, previous_equity, daily_change,
    month_date, month_equity, monthly_change
FROM batch_market_day(batch = {batch:UInt64}, from = '1971-01-01', to = {as_of:Date})
WHERE (date, series_id) IN
(
    SELECT max(date), series_id
    FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
    WHERE date <= {as_of:Date}
    GROUP BY series_id
)
