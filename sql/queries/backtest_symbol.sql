-- The closing prices of an instrument, in their order, with the currency that the catalogue of
-- benchmarks states: PESOS or DOLAR, or empty where it does not state one.
--   symbol  symbol of the instrument
SELECT
    date, toFloat64(close) AS close,
    ifNull((SELECT argMax(cuota_currency(native_currency), (revision, source_sha256, source_line)) FROM batch_benchmark(batch = {batch:UInt64}) WHERE symbol = {symbol:String}), '') AS currency
FROM batch_benchmark_price(batch = {batch:UInt64}, symbols = [{symbol:String}], all_symbols = false)
ORDER BY date
