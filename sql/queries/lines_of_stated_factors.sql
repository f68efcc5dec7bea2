-- Every line of the cartola that states factors on some days, by day and publication (batch_revision): what the quota is
-- multiplied by, which is factor de ajuste times factor de reparto; one that is not stated is 1.
--   days  the days
SELECT date, dataset, toNullable(serie) AS serie, if(void, NULL, stated_factor) AS value, counts, published_at, sha256, line
FROM batch_revision(batch = {batch:UInt64}, series = [{series_id:UInt32}], from = '1970-01-01', to = '2149-06-06')
WHERE date IN {days:Array(Date)}
ORDER BY date, published_at, sha256, line
