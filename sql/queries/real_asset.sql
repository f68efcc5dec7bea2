-- What a series is part of, and from when to when it was quoted, by any id that finds it. No row if
-- the batch does not know the series.
--   asset  the id, decimal or UUID
SELECT
    watchable.ids AS ids, watchable.fund_id AS fund_id, first.first_date AS start_date, watchable.closed_on AS end_date
FROM batch_watchable_series(batch = {batch:UInt64}) AS watchable
LEFT JOIN
(
    SELECT series_id, first_date FROM series WHERE batch = {batch:UInt64}
    UNION ALL
    SELECT assumeNotNull(series_id), first_date FROM fi_instrument WHERE batch = {batch:UInt64} AND series_id IS NOT NULL
) AS first ON first.series_id = watchable.series_id
WHERE has(watchable.ids, {asset:String})
LIMIT 1
