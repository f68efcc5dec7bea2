-- The rows of expense_ratio_history.sql, whose parameters it has.
SELECT rows.series_id AS series_id, rows.month AS month, rows.tac AS tac, toString(rows.tac_kind) AS tac_kind
FROM queries.expense_ratio_history AS rows
ORDER BY series_id, month
