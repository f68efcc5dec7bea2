-- The eight price-return windows of every series at the cutoff. Series of investment funds
-- are measured by their book values. Only mutual funds decide the cutoff, and without a
-- cutoff there are no rows.
INSERT INTO series_return
    (batch, series_id, window, value, currency, reason, target_start, target_end, effective_start, effective_end)
SELECT {batch:UInt64}, series_id, window, value, currency, reason, target_start, target_end, effective_start, effective_end
FROM batch_price_return(batch = {batch:UInt64}, as_of = {as_of:Date}, series = [], all_series = true)
WHERE series_id NOT IN (SELECT id FROM registry WHERE kind = 'fi_series')
   OR series_id IN (SELECT series_id FROM fi_instrument WHERE batch = {batch:UInt64} AND series_id IS NOT NULL)
      AND (SELECT count() FROM market_completeness WHERE batch = {batch:UInt64} AND complete) > 0
