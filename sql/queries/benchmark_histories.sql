-- The closing prices of every instrument, in its native currency: a row for each instrument, whose prices are one text
-- of the format RowBinary, in the order of days: the day (Date), and the price (Decimal(18, 6)).
SELECT symbol, groupConcat(line) AS lines
FROM
(
    SELECT symbol, formatRow('RowBinary', date, close) AS line
    FROM batch_benchmark_price(batch = {batch:UInt64}, symbols = [], all_symbols = true)
    ORDER BY symbol, date
)
GROUP BY symbol
