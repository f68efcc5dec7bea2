-- Quota values of a series in a range of days, oldest first, in the series currency. Days whose
-- quota could not be read are left out. It reads the table that has the series, as in
-- 20_batch_series_day, because planning that view takes longer than reading a series.
--   limit      greatest number of days, counted from the first
--   days       table of the series: series_day, or fi_day for a series of an investment fund
--   versions   table with the builds of its days
--   quota      its column with the quota
SELECT date, assumeNotNull({quota:Identifier}) AS quota
FROM {days:Identifier} AS days
WHERE series_id = {series_id:UInt32} AND date BETWEEN {from_date:Date} AND {to_date:Date} AND days.{quota:Identifier} IS NOT NULL
  AND (date, build) IN parts.newest_builds(list: {versions:Identifier})
ORDER BY date
LIMIT {limit:UInt64}
