-- The eight price-return windows of every series at the cutoff, those of investment
-- funds by their book values. There are none of these without a cutoff, which only
-- mutual funds make. The list holds a 0 that is no series: an empty one would stand
-- for all of the mutual funds.
INSERT INTO series_return
    (batch, series_id, window, value, currency, reason, target_start, target_end, effective_start, effective_end)
SELECT {batch:UInt64}, series_id, window, value, currency, reason, target_start, target_end, effective_start, effective_end
FROM price_return_at(batch = {batch:UInt64}, as_of = {as_of:Date}, series = [])
UNION ALL
SELECT {batch:UInt64}, series_id, window, value, currency, reason, target_start, target_end, effective_start, effective_end
FROM price_return_at(
    batch = {batch:UInt64}, as_of = {as_of:Date},
    series = (SELECT toString(arrayPushFront(groupArray(assumeNotNull(series_id)), 0)) FROM fi_instrument WHERE batch = {batch:UInt64} AND series_id IS NOT NULL))
WHERE series_id IN (SELECT series_id FROM fi_instrument WHERE batch = {batch:UInt64} AND series_id IS NOT NULL)
  AND (SELECT count() FROM day WHERE batch = {batch:UInt64} AND complete) > 0
