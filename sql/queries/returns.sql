-- The windows of a series at the cutoff of the batch.
SELECT window, value, currency, reason, target_start, target_end, effective_start, effective_end
FROM series_return
WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32}
