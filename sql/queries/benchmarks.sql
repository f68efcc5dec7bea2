-- The benchmarks with which families are compared now, sorted by family and symbol.
SELECT
    family_rar, symbol, index_name, nullIf(instrument_name, '') AS instrument_name,
    native_currency, nullIf(toString(asset_class), '') AS asset_class
FROM batch_benchmark(batch = {batch:UInt64})
WHERE active
ORDER BY family_rar, symbol
