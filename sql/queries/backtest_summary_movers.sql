-- The rises and falls of summary_movers.sql on some days, with the names and units of the tables for
-- people: changes are fractions, amounts are full units. place is 1 for the largest change of a
-- list.
--   days  the days that are wanted among those from {from} to {to}; the other parameters are those of
--         summary_movers.sql
SELECT
    rows.date AS date, rows.list AS list,
    toUInt32(row_number() OVER (PARTITION BY rows.date, rows.list
                                ORDER BY abs(if(endsWith(rows.list, '_daily'), rows.daily_change, rows.monthly_change)) DESC, rows.series_id)) AS place,
    rows.series_id AS series_id, rows.fund_id AS fund_id, rows.run AS run, rows.serie AS serie, rows.fund AS fund, rows.manager AS manager,
    rows.category AS category, rows.family_rar AS family, rows.currency AS currency, toFloat64(rows.price) AS quota,
    rows.daily_change / 100 AS daily_return, rows.monthly_change / 100 AS month_return,
    toFloat64(rows.equity) AS equity, toFloat64(cuota_clp(rows.currency, rows.equity, dolar.value)) AS equity_clp
FROM queries.summary_movers AS rows
LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = rows.date
WHERE rows.date IN {days:Array(Date)}
ORDER BY rows.date, rows.list, place
