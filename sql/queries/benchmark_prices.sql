-- Closing prices of a benchmark's instrument from a date on, oldest first, in its
-- native currency.
--   symbol     symbol of the instrument
SELECT date, close
FROM batch_benchmark_price(batch = {batch:UInt64}, symbols = [{symbol:String}], all_symbols = false)
WHERE date >= {from_date:Date}
ORDER BY date
