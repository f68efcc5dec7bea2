-- One closing price per instrument and day as batch N sees it, corrections
-- resolved. Of the symbols that the list names, or with all_symbols of every one.
--   SELECT date, close FROM benchmark_price_of(batch = 7, symbols = ['SPY'], all_symbols = false) ORDER BY date
CREATE OR REPLACE VIEW benchmark_price_of AS
SELECT *
FROM fact_benchmark_price
WHERE source_sha256 IN (SELECT sha256 FROM source_of(batch = {batch:UInt64}))
  AND ({all_symbols:Bool} OR symbol IN {symbols:Array(String)})
ORDER BY symbol, date, revision DESC, source_sha256 DESC, source_line DESC
LIMIT 1 BY symbol, date
