-- The columns of backtest_summary_families.sql, of the series alive at the cutoff, from the families that the
-- batch stores of each day.
--   from, to  first and last day
--   days      the days from {from} to {to} that are wanted
SELECT
    date, family_rar AS family, currency, family_display,
    toFloat64(summary_family.equity) AS equity, toFloat64(summary_family.equity_clp) AS equity_clp, series, funds,
    previous_date, daily_return, daily_series AS eligible_series, daily_share AS eligible_share,
    monthly_return AS month_return, monthly_series AS month_series, monthly_share AS month_share
FROM summary_family
WHERE batch = {batch:UInt64} AND date BETWEEN {from:Date} AND {to:Date} AND date IN {days:Array(Date)} AND shown
ORDER BY date, family, currency
