-- The rows of days_of_series.sql, whose parameters it has, with quotas in floating point.
SELECT
    rows.asset_id AS asset_id, rows.series_id AS series_id, rows.run AS run, rows.serie AS serie, rows.fund AS fund,
    rows.date AS date, toFloat64(rows.quota) AS quota, rows.currency AS currency
FROM queries.days_of_series AS rows
ORDER BY rows.date, rows.series_id
