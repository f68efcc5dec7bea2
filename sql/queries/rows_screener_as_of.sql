-- The rows of market_as_of.sql with the names and units of the tables for people, as rows_screener.sql
-- has them. It has the parameters of market_as_of.sql, and this:
--   series  ids of the series, in the order in which they are given
SELECT
    rows.series_id AS series_id, rows.fund_id AS fund_id, rows.run AS run, rows.serie AS serie, rows.fund AS fund, rows.manager AS manager,
    rows.category AS category, rows.family_rar AS family, rows.family_display AS family_display, rows.family_studies AS family_studies,
    rows.class_dated AS investor_class, rows.currency AS currency,
    rows.tac AS tac, rows.tac_kind AS tac_kind, rows.tac_date AS tac_date,
    toFloat64(rows.price) AS quota, rows.price_date AS quota_date,
    rows.daily_change / 100 AS daily_return, rows.monthly_change / 100 AS month_return,
    toFloat64(rows.equity) AS equity, toFloat64(cuota_clp(rows.currency, rows.equity, dolar.value)) AS equity_clp, rows.shareholders AS shareholders,
    rows.spheres AS spheres, rows.spheres_reason AS spheres_reason,
    rows.returns[1] AS return_1m, rows.returns[2] AS return_3m, rows.returns[3] AS return_6m, rows.returns[4] AS return_1y,
    rows.returns[5] AS return_ytd, rows.returns[6] AS return_3y_ann, rows.returns[7] AS return_5y_ann, rows.returns[8] AS return_last_closed_month,
    rows.reasons[1] AS reason_1m, rows.reasons[2] AS reason_3m, rows.reasons[3] AS reason_6m, rows.reasons[4] AS reason_1y,
    rows.reasons[5] AS reason_ytd, rows.reasons[6] AS reason_3y_ann, rows.reasons[7] AS reason_5y_ann, rows.reasons[8] AS reason_last_closed_month,
    rows.risk_date AS risk_date, rows.volatility_annualized_12m AS volatility_12m, rows.volatility_annualized_36m AS volatility_36m,
    rows.max_drawdown_36m AS max_drawdown_36m, rows.risk_score AS risk_score, rows.risk_level AS risk_level
FROM queries.market_as_of AS rows
INNER JOIN
(
    SELECT pair.1 AS asked_id, pair.2 AS place FROM (SELECT arrayJoin(arrayZip({series:Array(UInt32)}, arrayEnumerate({series:Array(UInt32)}))) AS pair)
) AS asked ON asked.asked_id = rows.series_id
LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = rows.price_date
ORDER BY asked.place
