-- Every line that states what daily cost rates follow from, on some days, by day and publication (batch_revision).
--   days    the days
--   figure  costs; bearing, the equity that bore them; or equity
SELECT
    date, dataset, toNullable(serie) AS serie,
    multiIf(void, NULL,
            {figure:String} = 'costs', CAST(costs, 'Nullable(Decimal(38, 10))'),
            {figure:String} = 'bearing', bearing,
            CAST(equity, 'Nullable(Decimal(38, 10))')) AS value,
    counts, published_at, sha256, line
FROM batch_revision(batch = {batch:UInt64}, series = [{series_id:UInt32}], from = '1970-01-01', to = '2149-06-06')
WHERE date IN {days:Array(Date)}
ORDER BY date, published_at, sha256, line
