-- The verified exchanges of a batch whose destination has quotes.
--   batch  number of the batch
SELECT origin_id, effective_date, destination_id, toFloat64(factor) AS factor
FROM batch_exchange(batch = {batch:UInt64})
WHERE destination_id != 0 AND origin_id != 0
ORDER BY origin_id, effective_date, event_id
