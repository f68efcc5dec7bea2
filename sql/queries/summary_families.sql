-- Families of the market on some days, among series alive at the cutoff, with one row for each
-- currency. The currency of the index comes first: the one in which the family has most
-- equity, in pesos at the dólar of the day. Equity that cannot be converted is left out of
-- the family's equity.
--   batch     number of the batch
--   from, to  first and last day
SELECT
    date, family_rar, currency, families.family_display AS family_display,
    100 * daily_return              AS daily_change,
    100 * monthly_return            AS monthly_change,
    toFloat64(equity) / 1000000     AS patrimony,
    toUInt64(series)                AS series,
    toFloat64(sum(equity_clp) OVER family) / 1000000                  AS family_patrimony_clp,
    sum(series) OVER family                                           AS family_series,
    length(arrayDistinct(arrayFlatten(groupArray(runs) OVER family))) AS family_funds
FROM
(
    SELECT
        changes.*,
        cuota_clp(currency, equity, dolar.value) AS equity_clp
    FROM batch_family_summary(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}, current_only = true) AS changes
    LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = changes.date
) AS families
WINDOW family AS (PARTITION BY date, family_rar)
ORDER BY date, family_patrimony_clp DESC NULLS LAST, family_rar, equity_clp DESC NULLS LAST, currency DESC
