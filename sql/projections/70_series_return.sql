-- The eight price-return windows of every series at the cutoff.
INSERT INTO series_return
    (batch, series_id, window, value, currency, reason, target_start, target_end, effective_start, effective_end)
SELECT {batch:UInt64}, series_id, window, value, currency, reason, target_start, target_end, effective_start, effective_end
FROM price_return_at(batch = {batch:UInt64}, as_of = {as_of:Date}, series = [])
