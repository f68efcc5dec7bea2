-- The columns of replies from a row of risk_as_of, which is named risk; null where there is none.
risk.volatility_monthly_12m AS volatility_monthly_12m, risk.volatility_monthly_36m AS volatility_monthly_36m,
risk.volatility_annualized_12m AS volatility_annualized_12m,
risk.volatility_annualized_36m AS volatility_annualized_36m,
risk.max_drawdown_36m AS max_drawdown_36m, risk.risk_level AS risk_level, risk.risk_score AS risk_score,
if(risk.series_id = 0, NULL, risk.month)          AS risk_date,
if(risk.series_id = 0, NULL, risk.method_version) AS risk_method_version
