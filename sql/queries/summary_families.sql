-- Families of the market on a day, one row for each currency. The index currency
-- of a family is the one in which it holds most equity, in pesos.
SELECT
    family_rar, currency, families.family_display AS family_display,
    100 * daily_return   AS daily_change,
    100 * monthly_return AS monthly_change,
    toFloat64(equity)     / 1000000 AS patrimony,
    toFloat64(equity_clp) / 1000000 AS patrimony_clp,
    families.previous_date AS previous_date,
    toUInt64(series) AS series,
    length(runs) AS funds,
    sum(toFloat64(ifNull(equity_clp, 0)) / 1000000) OVER family AS family_patrimony_clp,
    sum(series) OVER family AS family_series,
    length(arrayDistinct(arrayFlatten(groupArray(runs) OVER family))) AS family_funds,
    row_number() OVER (PARTITION BY family_rar ORDER BY equity_clp DESC NULLS LAST, currency DESC) = 1 AS is_index_currency
FROM
(
    SELECT
        changes.*,
        cuota_clp(currency, equity, dolar.value) AS equity_clp
    FROM family_change_of(batch = {batch:UInt64}, from = {date:Date}, to = {date:Date}, current_only = true) AS changes
    LEFT JOIN (SELECT date AS dolar_date, value FROM dolar_of(batch = {batch:UInt64})) AS dolar ON dolar_date = changes.date
) AS families
WINDOW family AS (PARTITION BY family_rar)
ORDER BY family_patrimony_clp DESC, family_rar, is_index_currency DESC
