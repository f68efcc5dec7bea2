-- The newest quote of a series of mutual funds on some days, as series_profile.sql gives it. No row if none of the
-- days has one. It reads one table, so that it is planned in a fraction of the time (docs/decisions/0056).
--   days, builds  the days, and the build of each (days_of_batch.sql)
SELECT date, price AS quota, equity, shareholders, if(currency IN ('PESOS', 'DOLAR'), toNullable(toString(currency)), NULL) AS currency
FROM market_day
WHERE series_id = {series_id:UInt32} AND date IN {days:Array(Date)} AND (date, build) IN arrayZip({days:Array(Date)}, {builds:Array(UInt64)})
  AND price IS NOT NULL
ORDER BY date DESC
LIMIT 1
SETTINGS max_threads = 1 -- for so few rows, starting a second thread takes longer than it saves
