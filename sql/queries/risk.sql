-- The newest risk snapshot of series whose month ended by a date. A series without one has no row.
--   all_series  true: every series, whatever the list
SELECT
    series_id, month, volatility_monthly_12m, volatility_monthly_36m, volatility_annualized_12m, volatility_annualized_36m,
    max_drawdown_36m, risk_level, risk_score, risk_score_series, risk_score_of_series, risk_score_share, method_version,
    downside_deviation_36m, var_95_1m, beta_36m, tracking_error_36m
FROM risk_as_of(batch = {batch:UInt64}, as_of = {as_of:Date}, series = {series:Array(UInt32)}, all_series = {all_series:Bool})
