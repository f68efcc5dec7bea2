-- The days of a series after one day and up to another on which the cartola states factors that multiply the quota, in
-- their order.
--   after  day before the first one
--   until  the last day
SELECT date
FROM batch_series_day(batch = {batch:UInt64}, series = [{series_id:UInt32}], all_series = false)
WHERE date > {after:Date} AND date <= {until:Date} AND quota IS NOT NULL
  AND toFloat64(ifNull(adjustment_factor, 1)) * toFloat64(ifNull(distribution_factor, 1)) != 1
ORDER BY date
