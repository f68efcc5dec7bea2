-- The rows of tac_changes.sql in one direction, whose parameters it has, with equity in full units and the change as fractions.
SELECT
    toLastDayOfMonth({month:Date}) AS month, rows.series_id AS series_id, rows.fund_id AS fund_id, rows.run AS run, rows.serie AS serie, rows.fund AS fund,
    rows.manager AS manager, rows.category AS category, rows.investor_class AS investor_class, rows.currency AS currency, toFloat64(rows.patrimony) * 1e6 AS equity,
    rows.tac_kind AS tac_kind, rows.tac AS tac, rows.tac_previous AS tac_previous, rows.tac_delta AS tac_change, rows.tac_delta_percent / 100 AS relative_change
FROM queries.tac_changes AS rows
ORDER BY abs(rows.tac_delta) DESC, rows.equity_clp DESC NULLS LAST, rows.series_id
