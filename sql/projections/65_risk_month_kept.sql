-- The risk of the months that this batch does not compute, copied from the previous batch.
INSERT INTO risk_month
    (batch, series_id, month, volatility_monthly_12m, volatility_monthly_36m, volatility_annualized_12m, volatility_annualized_36m,
     max_drawdown_36m, risk_score, risk_level, downside_deviation_36m, var_95_1m, beta_36m, tracking_error_36m, method_version)
WITH (SELECT (min(month), max(month)) FROM batch_recomputed_risk_month(batch = {batch:UInt64}, previous = {previous:UInt64}, as_of = {as_of:Date})) AS reached
SELECT
    {batch:UInt64}, series_id, month, volatility_monthly_12m, volatility_monthly_36m, volatility_annualized_12m, volatility_annualized_36m,
    max_drawdown_36m, risk_score, risk_level, downside_deviation_36m, var_95_1m, beta_36m, tracking_error_36m, method_version
FROM risk_month
WHERE batch = {previous:UInt64} AND month <= {as_of:Date} AND month NOT BETWEEN reached.1 AND reached.2
