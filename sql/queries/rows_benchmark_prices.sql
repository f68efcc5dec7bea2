-- The rows of benchmark_prices.sql, whose parameters it has, and this:
--   currency  in which the instrument is quoted: USD or CLP
SELECT {symbol:String} AS symbol, rows.date AS date, toFloat64(rows.close) AS close, {currency:String} AS currency
FROM queries.benchmark_prices AS rows
ORDER BY rows.date
