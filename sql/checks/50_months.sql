-- Monthly values are within their bounds, each series has one row for each month, and
-- exactly the series with both figures have a score, which states of how many series it is.
SELECT format('series {} month {}: growth {}, peak {}, trough {}, drawdown {}; at least one is outside its bounds', toString(series_id), toString(month),
              ifNull(toString(growth), 'null'), ifNull(toString(peak), 'null'), ifNull(toString(trough), 'null'), ifNull(toString(drawdown), 'null')) AS violation
FROM series_month
WHERE batch = {batch:UInt64} AND growth IS NOT NULL
  AND NOT ifNull(isFinite(growth) AND growth > 0 AND peak >= 1 AND trough <= 1 AND trough > 0 AND drawdown BETWEEN -1 AND 0, false)
LIMIT 10
UNION ALL
SELECT format('series {} month {}: volatility {}, drawdown {}, score {}; at least one is outside its bounds, or the score is not null exactly when both others are not null', toString(series_id), toString(month),
              ifNull(toString(volatility_monthly_36m), 'null'), ifNull(toString(max_drawdown_36m), 'null'), ifNull(toString(risk_score), 'null'))
FROM risk_month
WHERE batch = {batch:UInt64}
  AND ((volatility_monthly_36m IS NULL) != (risk_score IS NULL) OR (max_drawdown_36m IS NULL) != (risk_score IS NULL)
       OR NOT ifNull(volatility_monthly_36m >= 0 AND max_drawdown_36m BETWEEN -1 AND 0 AND risk_score <= 100, true))
LIMIT 10
UNION ALL
SELECT format('series {} month {}: the score is of {} of {} series with {} of the equity; they are null exactly without a score, and at least one and at most all series are ranked',
              toString(series_id), toString(month), ifNull(toString(risk_score_series), 'null'), ifNull(toString(risk_score_of_series), 'null'), ifNull(toString(risk_score_share), 'null'))
FROM risk_month
WHERE batch = {batch:UInt64}
  AND ((risk_score IS NULL) != (risk_score_series IS NULL) OR (risk_score IS NULL) != (risk_score_of_series IS NULL)
       OR risk_score IS NULL AND risk_score_share IS NOT NULL
       OR NOT ifNull(risk_score_series BETWEEN 1 AND risk_score_of_series, true))
LIMIT 10
UNION ALL
SELECT format('series {} month {}: beta {}, tracking error {}; both must be finite, and the tracking error not negative', toString(series_id), toString(month), ifNull(toString(beta_36m), 'null'), ifNull(toString(tracking_error_36m), 'null'))
FROM risk_month
WHERE batch = {batch:UInt64} AND NOT (ifNull(isFinite(beta_36m), true) AND ifNull(isFinite(tracking_error_36m) AND tracking_error_36m >= 0, true))
LIMIT 10
UNION ALL
SELECT format('{} has series {} month {} {} times, expected once', table_name, toString(series_id), toString(month), toString(n))
FROM
(
    SELECT 'series_month' AS table_name, series_id, month, count() AS n FROM series_month WHERE batch = {batch:UInt64} GROUP BY series_id, month
    UNION ALL SELECT 'risk_month', series_id, month, count() FROM risk_month WHERE batch = {batch:UInt64} GROUP BY series_id, month
)
WHERE n > 1
LIMIT 10
