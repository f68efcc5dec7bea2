-- The rows of all_funds.sql and of all_investment_funds.sql with the names and units of the tables
-- for people: changes and rates are fractions, amounts are full units. It has the parameters of
-- all_funds.sql. Investment funds have neither category nor family, so a filter by one leaves them
-- out.
SELECT
    listed.* REPLACE (
        toFloat64(listed.quota) AS quota,
        listed.daily_return / 100 AS daily_return, listed.month_return / 100 AS month_return,
        toFloat64(listed.equity) AS equity,
        toFloat64(cuota_clp(listed.currency, listed.equity, dolar.value)) AS equity_clp)
FROM
(
    SELECT
        mutual.series_id AS series_id, CAST(NULL, 'Nullable(String)') AS instrument_id, mutual.fund_id AS fund_id,
        mutual.run AS run, mutual.serie AS serie, mutual.fund AS fund, mutual.manager AS manager, mutual.vehicle AS vehicle,
        mutual.category AS category, mutual.family_rar AS family, mutual.family_display AS family_display,
        mutual.classified_later AS classified_later, mutual.class_tac AS investor_class, mutual.currency AS currency,
        mutual.tac AS tac, mutual.tac_kind AS tac_kind, mutual.tac_date AS tac_date,
        mutual.price AS quota, mutual.price_date AS quota_date,
        mutual.daily_change AS daily_return, mutual.monthly_change AS month_return,
        mutual.equity AS equity, NULL AS equity_clp, mutual.shareholders AS shareholders,
        mutual.risk_date AS risk_date, mutual.volatility_annualized_12m AS volatility_12m, mutual.volatility_annualized_36m AS volatility_36m,
        mutual.max_drawdown_36m AS max_drawdown_36m, mutual.risk_score AS risk_score, mutual.risk_level AS risk_level,
        mutual.article107 AS article107
    FROM queries.all_funds AS mutual
    UNION ALL
    SELECT
        other.series_id, toString(other.instrument_id), other.fund_id,
        other.run, other.serie, other.fund, other.manager, other.vehicle,
        NULL, NULL, NULL,
        false, NULL, other.currency,
        NULL, NULL, NULL,
        other.price, other.price_date, other.daily_change, other.monthly_change,
        other.equity, NULL, other.shareholders,
        other.risk_date, other.volatility_annualized_12m, other.volatility_annualized_36m,
        other.max_drawdown_36m, other.risk_score, other.risk_level,
        other.article107
    FROM queries.all_investment_funds AS other
    WHERE {category:String} = '' AND {fund_family:String} = '' AND {vehicle:String} != 'mutual_fund'
) AS listed
LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar
    ON dolar_date = listed.quota_date
ORDER BY listed.fund, listed.serie, listed.series_id
