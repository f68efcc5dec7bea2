-- The rows of agf_evolution.sql, whose parameters it has: one for each month in which a manager had a series.
SELECT
    rows.month AS month, rows.name AS manager, {metric:String} AS metric, rows.value AS value, rows.unconverted_series AS unconverted_series
FROM queries.agf_evolution AS rows
WHERE rows.name != ''
ORDER BY rows.month, rows.name
