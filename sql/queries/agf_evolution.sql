-- Managers month by month, each month on its last complete date (RULES 8). A month in which
-- none of the managers had a series has one row without a name.
--   managers  ids; managers with the same name, ignoring case and accents, count together
--   all_managers  every manager
--   metric    patrimony or shareholders
--   from, to  first and last day
WITH
    months AS
    (
        SELECT max(date) AS last_complete FROM market_completeness
        WHERE batch = {batch:UInt64} AND complete AND date BETWEEN {from:Date} AND {to:Date}
        GROUP BY toStartOfMonth(date)
    ),
    named AS
    (
        SELECT rut, min(name) OVER (PARTITION BY cuota_fold(name)) AS name
        FROM manager
        WHERE batch = {batch:UInt64} AND ({all_managers:Bool} OR manager_id IN {managers:Array(UInt32)})
    )
SELECT formatDateTime(months.last_complete, '%Y-%m') AS month, totals.name AS name, totals.value AS value, totals.unconverted_series AS unconverted_series
FROM months
LEFT JOIN
(
    SELECT
        days.date AS date, named.name AS name,
        if({metric:String} = 'shareholders', toFloat64(sum(shareholders)), toFloat64(sum(equity_clp))) AS value,
        sumIf(series, equity_clp IS NULL) AS unconverted_series
    FROM batch_manager_day(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}) AS days
    INNER JOIN named ON named.rut = cuota_rol(days.manager_rut)
    WHERE days.date IN (SELECT last_complete FROM months)
    GROUP BY date, name
) AS totals ON totals.date = months.last_complete
ORDER BY month, name
