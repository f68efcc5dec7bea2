-- The rows of market_as_of.sql with the names and units of the tables for people, as rows_screener.sql
-- has them. It has the parameters of market_as_of.sql, and this:
--   series  ids of the series, in the order in which they are given
parts.rows_of_screener
FROM queries.market_as_of AS rows
INNER JOIN
(
    SELECT pair.1 AS asked_id, pair.2 AS place FROM (SELECT arrayJoin(arrayZip({series:Array(UInt32)}, arrayEnumerate({series:Array(UInt32)}))) AS pair)
) AS asked ON asked.asked_id = rows.series_id
LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = rows.price_date
ORDER BY asked.place
