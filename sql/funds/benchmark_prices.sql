-- Closing prices of benchmarks.
--   SELECT date, close FROM funds.benchmark_prices WHERE symbol = 'SPY' ORDER BY date
CREATE OR REPLACE VIEW funds.benchmark_prices
(
    symbol     LowCardinality(String)           COMMENT 'Symbol of the instrument',
    date       Date                             COMMENT 'Day of the price',
    currency   LowCardinality(Nullable(String)) COMMENT 'Currency of close: DOLAR or PESOS; null where no benchmark has the symbol',
    close      Float64                          COMMENT 'Closing price, in currency',
    close_clp  Nullable(Float64)                COMMENT 'Closing price in pesos; dollars at the official rate of the day, or the last one of the 7 days before'
)
SQL SECURITY DEFINER AS
SELECT
    prices.symbol AS symbol, prices.date AS date, nullIf(listed.currency, '') AS currency, toFloat64(prices.close) AS close,
    toFloat64(cuota_clp(listed.currency, prices.close, dolar.value)) AS close_clp
FROM batch_benchmark_price(batch = {batch:UInt64}, symbols = [], all_symbols = true) AS prices
LEFT JOIN
(
    SELECT symbol, argMax(cuota_currency(native_currency), (revision, source_sha256, source_line)) AS currency
    FROM batch_benchmark(batch = {batch:UInt64}) GROUP BY symbol
) AS listed ON listed.symbol = prices.symbol
LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = prices.date
SETTINGS join_use_nulls = 0
COMMENT 'Closing prices of benchmarks by day. Key: symbol, date.'
