-- Quota values of a series in a range of days, oldest first, in the series currency. Days
-- whose quota could not be read are left out.
--   batch      number of the batch
--   series_id  id of the series
--   from_date  first day
--   to_date    last day
--   limit      greatest number of days, counted from the first
SELECT days.date AS date, assumeNotNull(days.quota) AS quota
FROM batch_series_day(batch = {batch:UInt64}, series = [{series_id:UInt32}], all_series = false) AS days
WHERE days.date BETWEEN {from_date:Date} AND {to_date:Date} AND days.quota IS NOT NULL
ORDER BY date
LIMIT {limit:UInt64}
