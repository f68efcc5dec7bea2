-- Every line that states a day of a series from one day to another, by day and publication (batch_revision).
SELECT date, dataset, serie, quota, equity, shareholders, currency, void, counts, published_at, sha256, line
FROM batch_revision(batch = {batch:UInt64}, series = [{series_id:UInt32}], from = {from_date:Date}, to = {to_date:Date})
ORDER BY date, published_at, sha256, line
