-- The families of the market summary with the names and units of the tables for people: one row
-- for each day, family and currency, of a day the family with most equity in pesos first. Changes are fractions,
-- amounts are full units.
--   from, to  first and last day; those without data have no rows
SELECT
    families.family_rar AS family, families.currency AS currency, families.date AS date, families.family_display AS family_display,
    toFloat64(families.equity) AS equity, toFloat64(families.clp) AS equity_clp,
    toUInt32(families.series) AS series,
    families.daily_return AS daily_return, toUInt32(length(families.eligible)) AS eligible_series,
    cuota_equity_share(families.eligible, families.equity) AS eligible_share,
    families.monthly_return AS month_return, toUInt32(length(families.monthly)) AS month_series,
    cuota_equity_share(families.monthly, families.equity) AS month_share
FROM
(
    SELECT changes.*, cuota_clp(currency, equity, dolar.value) AS clp, sum(clp) OVER (PARTITION BY date, family_rar) AS family_clp
    FROM batch_family_summary(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}, current_only = true) AS changes
    LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = changes.date
) AS families
WHERE families.date IN (SELECT date FROM market_completeness WHERE batch = {batch:UInt64} AND has_data AND date BETWEEN {from:Date} AND {to:Date})
ORDER BY families.date, families.family_clp DESC NULLS LAST, families.family_rar, families.clp DESC NULLS LAST, families.currency DESC
