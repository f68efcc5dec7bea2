-- Managers month by month, each month on its last complete date (RULES 8).
SELECT
    formatDateTime(date, '%Y-%m') AS month,
    managers.name AS name,
    if({metric:String} = 'shareholders', toFloat64(sum(shareholders)), toFloat64(sum(equity_clp))) AS value
FROM manager_day_of(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}) AS days
INNER JOIN (SELECT name, rut FROM manager WHERE batch = {batch:UInt64} AND manager_id IN {managers:Array(UInt32)}) AS managers
    ON managers.rut = cuota_rol(days.manager_rut)
WHERE date IN
(
    SELECT max(date) FROM day
    WHERE batch = {batch:UInt64} AND complete AND date BETWEEN {from:Date} AND {to:Date}
    GROUP BY toStartOfMonth(date)
)
GROUP BY date, managers.name
ORDER BY date, name
