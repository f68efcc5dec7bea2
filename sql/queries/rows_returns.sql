-- The rows of returns_by_day.sql, whose parameters it has, with a column for each window.
SELECT
    rows.series_id AS series_id, rows.run AS run, rows.serie AS serie, rows.fund AS fund,
    rows.date AS date, rows.currency AS currency, rows.effective_end AS effective_end,
    rows.month_currency AS month_currency, rows.month_effective_end AS month_effective_end,
    rows.returns[1] AS return_1m, rows.returns[2] AS return_3m, rows.returns[3] AS return_6m, rows.returns[4] AS return_1y,
    rows.returns[5] AS return_ytd, rows.returns[6] AS return_3y_ann, rows.returns[7] AS return_5y_ann, rows.returns[8] AS return_last_closed_month,
    rows.reasons[1] AS reason_1m, rows.reasons[2] AS reason_3m, rows.reasons[3] AS reason_6m, rows.reasons[4] AS reason_1y,
    rows.reasons[5] AS reason_ytd, rows.reasons[6] AS reason_3y_ann, rows.reasons[7] AS reason_5y_ann, rows.reasons[8] AS reason_last_closed_month,
    rows.starts[1] AS start_1m, rows.starts[2] AS start_3m, rows.starts[3] AS start_6m, rows.starts[4] AS start_1y,
    rows.starts[5] AS start_ytd, rows.starts[6] AS start_3y_ann, rows.starts[7] AS start_5y_ann, rows.starts[8] AS start_last_closed_month
FROM queries.returns_by_day AS rows
ORDER BY rows.date, rows.series_id
