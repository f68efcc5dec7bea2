-- What backtest_summary_families.sql gives of every series that existed, from what is stored of each family and
-- day. The stored change counts since the last day with a quote of the family, and that of the summary since the index
-- point before (RULES 7). recount is set where these are two days: there the change must be computed from the series.
-- If there is no index point before, the change is null, and its coverage is that of the stored one.
--   from, to  first and last day
--   days      the days from {from} to {to} that are wanted
SELECT
    stored.date AS date, stored.family_rar AS family, stored.currency AS currency, stored.family_display AS family_display,
    toFloat64(stored.equity) AS equity, toFloat64(cuota_clp(stored.currency, stored.equity, dolar.value)) AS equity_clp,
    stored.series AS series, stored.funds AS funds,
    opened.opening_date AS previous_date, if(opened.opening_date IS NULL, NULL, stored.daily_return) AS daily_return,
    stored.eligible_series AS eligible_series, stored.eligible_share AS eligible_share,
    stored.monthly_return AS month_return, stored.monthly_series AS month_series, stored.monthly_share AS month_share,
    opened.opening_date IS NOT NULL AND ifNull(opened.opening_date != stored.previous_date, true) AS recount
FROM batch_family_day(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}) AS stored
LEFT JOIN
(
    SELECT date, family_rar, currency, opening_date FROM index_day
    WHERE batch = {batch:UInt64} AND date BETWEEN {from:Date} AND {to:Date} AND opening_date IS NOT NULL
) AS opened ON opened.date = stored.date AND opened.family_rar = stored.family_rar AND opened.currency = stored.currency
LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = stored.date
WHERE stored.date IN {days:Array(Date)}
ORDER BY stored.date, stored.family_rar, stored.currency
