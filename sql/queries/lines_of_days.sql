-- Every line that states a series on some days, by day and publication (batch_revision).
--   days  the days
SELECT date, dataset, serie, quota, equity, shareholders, currency, void, counts, published_at, sha256, line
FROM batch_revision(batch = {batch:UInt64}, series = [{series_id:UInt32}], from = '1970-01-01', to = '2149-06-06')
WHERE date IN {days:Array(Date)}
ORDER BY date, published_at, sha256, line
