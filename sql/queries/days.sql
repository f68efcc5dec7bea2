-- Quota values of a series from a date on, oldest first, series currency. Days
-- whose quota could not be read are left out.
--   batch      number of the batch
--   series_id  id of the series
--   from_date  first day
SELECT date, assumeNotNull(quota) AS quota
FROM series_day_of(batch = {batch:UInt64}, series = [{series_id:UInt32}])
WHERE date >= {from_date:Date} AND quota IS NOT NULL
ORDER BY date
