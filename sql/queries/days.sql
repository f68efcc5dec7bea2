-- Quota values of a series of a mutual fund in a range of days, oldest first, in the series
-- currency. Days whose quota could not be read are left out. The table is read directly, as in
-- 20_batch_series_day, because planning the view takes longer than reading a series.
--   batch      number of the batch
--   series_id  id of the series
--   from_date  first day
--   to_date    last day
--   limit      greatest number of days, counted from the first
SELECT date, assumeNotNull(quota) AS quota
FROM series_day
WHERE series_id = {series_id:UInt32} AND date BETWEEN {from_date:Date} AND {to_date:Date} AND series_day.quota IS NOT NULL
  AND (date, build) IN (SELECT date, max(build) FROM series_day_version WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure)) GROUP BY date)
ORDER BY date
LIMIT {limit:UInt64}
