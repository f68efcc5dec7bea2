-- The rows of market.sql with the names and units of the tables for people. It has the parameters of market.sql.
parts.rows_of_screener
FROM queries.market AS rows
LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = rows.price_date
WHERE rows.position > 0
ORDER BY rows.position
