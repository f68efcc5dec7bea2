-- One closing price for each instrument and day, as batch N sees it, with corrections
-- applied. It covers the symbols in the list, or every symbol if all_symbols is set.
--   SELECT date, close FROM batch_benchmark_price(batch = 7, symbols = ['SPY'], all_symbols = false) ORDER BY date
CREATE OR REPLACE VIEW batch_benchmark_price AS
SELECT *
FROM fact_benchmark_price
WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
  AND ({all_symbols:Bool} OR symbol IN {symbols:Array(String)})
ORDER BY symbol, date, revision DESC, source_sha256 DESC, source_line DESC
LIMIT 1 BY symbol, date
