-- The rows of returns_by_day.sql, whose parameters it has, with a column for each window.
SELECT
    rows.series_id AS series_id, rows.run AS run, rows.serie AS serie, rows.fund AS fund,
    rows.date AS date, rows.currency AS currency, rows.effective_end AS effective_end,
    rows.month_currency AS month_currency, rows.month_effective_end AS month_effective_end,
    rows.returns[{place}] AS return_{window},
    rows.reasons[{place}] AS reason_{window},
    rows.starts[{place}] AS start_{window}
FROM queries.returns_by_day AS rows
ORDER BY rows.date, rows.series_id
