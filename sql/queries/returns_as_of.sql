-- The windows of a series at any date, computed from the quotes of the batch.
SELECT window, value, currency, reason, target_start, target_end, effective_start, effective_end
FROM batch_price_return(batch = {batch:UInt64}, as_of = {as_of:Date}, series = [{series_id:UInt32}], all_series = false)
