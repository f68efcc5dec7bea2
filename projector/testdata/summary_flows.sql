-- For how many series of some days the net contributions are known (batch_known_flow).
--   batch     number of the batch
--   from, to  first and last day
SELECT date, series, daily, monthly
FROM batch_known_flow(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date})
ORDER BY date
