-- The columns of market.sql and market_as_of.sql with the names and units of the tables for people: returns, changes
-- and rates are fractions, amounts are full units.
SELECT
    rows.series_id AS series_id, rows.fund_id AS fund_id, rows.run AS run, rows.serie AS serie,
    rows.fund AS fund, rows.manager AS manager,
    rows.category AS category, rows.family_rar AS family, rows.family_display AS family_display,
    rows.family_studies AS family_studies, rows.class_dated AS investor_class, rows.currency AS currency,
    rows.tac AS tac, rows.tac_kind AS tac_kind, rows.tac_date AS tac_date,
    toFloat64(rows.price) AS quota, rows.price_date AS quota_date,
    rows.daily_change / 100 AS daily_return, rows.monthly_change / 100 AS month_return,
    toFloat64(rows.equity) AS equity, toFloat64(cuota_clp(rows.currency, rows.equity, dolar.value)) AS equity_clp,
    rows.shareholders AS shareholders, rows.spheres AS spheres, rows.spheres_reason AS spheres_reason,
    rows.returns[{place}] AS return_{window},
    rows.reasons[{place}] AS reason_{window},
    rows.risk_date AS risk_date, rows.volatility_annualized_12m AS volatility_12m,
    rows.volatility_annualized_36m AS volatility_36m, rows.max_drawdown_36m AS max_drawdown_36m,
    rows.risk_score AS risk_score, rows.risk_level AS risk_level
