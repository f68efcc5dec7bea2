-- The rows of fi_days.sql, as rows_days.sql has those of days.sql.
SELECT {series_id:UInt32} AS series_id, rows.date AS date, toFloat64(rows.quota) AS quota
FROM queries.fi_days AS rows
ORDER BY rows.date
