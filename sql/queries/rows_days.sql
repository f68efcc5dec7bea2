-- The rows of days.sql, whose parameters it has, with the series and a quota in floating point.
SELECT {series_id:UInt32} AS series_id, rows.date AS date, toFloat64(rows.quota) AS quota
FROM queries.days AS rows
ORDER BY rows.date
