-- The quotas of some series from one day to another, in the currency of each series, for the
-- chart of a page. Each series with a quota has one row, with its days in order, as numbers of
-- days since the first one asked for, and their quotas. Days whose quota could not be read are
-- left out.
SELECT series_id, arrayMap(day -> toUInt32(day - {from_date:Date}), quoted.1) AS days, quoted.2 AS quotas
FROM
(
    SELECT series_id, arraySort(groupArray((date, toFloat64(assumeNotNull(quota))))) AS quoted
    FROM batch_series_day(batch = {batch:UInt64}, series = {series:Array(UInt32)}, all_series = false)
    WHERE date BETWEEN {from_date:Date} AND {to_date:Date} AND quota IS NOT NULL
    GROUP BY series_id
)
