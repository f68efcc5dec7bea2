-- The families of the market on some days, of every series that existed on the day, with the names and units of the
-- tables for people: one row for each family and currency. Changes are fractions, amounts are full units.
--   from, to  first and last day
--   days      the days from {from} to {to} that are wanted
SELECT
    changes.date AS date, changes.family_rar AS family, changes.currency AS currency, changes.family_display AS family_display,
    toFloat64(changes.equity) AS equity, toFloat64(cuota_clp(changes.currency, changes.equity, dolar.value)) AS equity_clp,
    toUInt32(changes.series) AS series, toUInt32(length(changes.runs)) AS funds,
    changes.previous_date AS previous_date, changes.daily_return AS daily_return,
    toUInt32(length(changes.eligible)) AS eligible_series, cuota_equity_share(changes.eligible, changes.equity) AS eligible_share,
    changes.monthly_return AS month_return,
    toUInt32(length(changes.monthly)) AS month_series, cuota_equity_share(changes.monthly, changes.equity) AS month_share
FROM batch_family_summary(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}, current_only = false) AS changes
LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = changes.date
WHERE changes.date IN {days:Array(Date)}
ORDER BY changes.date, changes.family_rar, changes.currency
