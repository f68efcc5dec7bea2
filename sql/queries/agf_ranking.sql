-- Managers on a day, ranked by equity in pesos or by shareholders, equal ones by name
-- (RULES 8). It counts all series with a row that counts on the day, even if they have
-- closed since. A series whose currency cannot be converted is left out of the equity, and
-- counted separately.
--   date     a day with data
--   metrics  patrimony, shareholders or both: each has its ranks
--   build, dolar   build of the day and its dólar (days_of_batch.sql); null: no dólar
SELECT
    metric,
    named.manager_id AS manager_id,
    named.name AS name,
    total_patrimony, total_shareholders, fund_count,
    row_number() OVER (
        PARTITION BY metric
        ORDER BY if(metric = 'shareholders', toFloat64(total_shareholders), total_patrimony) DESC NULLS LAST, name, manager_id) AS rank,
    unconverted_series
FROM
(
    SELECT
        manager_rut,
        toFloat64(sum(cuota_clp(currency, equity, {dolar:Nullable(Decimal(18, 6))}) AS equity_clp)) AS total_patrimony,
        sum(shareholders) AS total_shareholders,
        length(arrayDistinct(arrayFlatten(groupArray(runs)))) AS fund_count,
        sumIf(series, equity_clp IS NULL) AS unconverted_series
    FROM manager_day
    WHERE date = {date:Date} AND build = {build:UInt64}
    GROUP BY manager_rut
) AS totals
INNER JOIN (SELECT manager_id, name, rut FROM manager WHERE batch = {batch:UInt64}) AS named ON named.rut = cuota_rol(totals.manager_rut)
ARRAY JOIN {metrics:Array(String)} AS metric
ORDER BY metric, rank
