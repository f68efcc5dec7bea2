-- Book values of a series of an investment fund in a range of days, as days.sql gives quota
-- values.
--   batch      number of the batch
--   series_id  id of the series
--   from_date  first day
--   to_date    last day
--   limit      greatest number of days, counted from the first
SELECT date, assumeNotNull(book_value) AS quota
FROM fi_day
WHERE series_id = {series_id:UInt32} AND date BETWEEN {from_date:Date} AND {to_date:Date} AND book_value IS NOT NULL
  AND (date, build) IN (SELECT date, max(build) FROM fi_day_version WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure)) GROUP BY date)
ORDER BY date
LIMIT {limit:UInt64}
