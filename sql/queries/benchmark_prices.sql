-- Closing prices of a benchmark's instrument from a date on, oldest first, in its
-- native currency.
--   batch      number of the batch
--   symbol     symbol of the instrument
--   from_date  first day
SELECT date, close
FROM batch_benchmark_price(batch = {batch:UInt64}, symbols = [{symbol:String}], all_symbols = false)
WHERE date >= {from_date:Date}
ORDER BY date
