-- The days of a month whose daily rates a computed cost rate is the mean of, in their order (RULES 2). bears is false of a
-- day whose costs count nothing, because the series had no equity on the day before.
--   month  its last day
SELECT date, toBool(ifNull(equity_before > 0, false)) AS bears, toDayOfYear(makeDate(toYear(date), 12, 31)) AS days_of_year
FROM
(
    SELECT
        date,
        if(lagInFrame(date, 1, toDate(0)) OVER before = date - 1, lagInFrame(equity) OVER before, NULL) AS equity_before,
        cuota_daily_cost(toFloat64(units_outstanding + units_redeemed - units_contributed) * toFloat64(quota), toFloat64(costs), equity_before) AS rate
    FROM batch_series_day(batch = {batch:UInt64}, series = [{series_id:UInt32}], all_series = false)
    WHERE date BETWEEN toStartOfMonth({month:Date}) - 1 AND {month:Date}
    WINDOW before AS (ORDER BY date ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
)
WHERE rate IS NOT NULL AND date >= toStartOfMonth({month:Date})
ORDER BY date
