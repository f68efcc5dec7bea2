-- The risk figures of each series of mutual funds that is alive at the cutoff, at each month end. It has one row
-- for each series. Its months are one text of the format RowBinary, in their order: month; volatility_monthly_12m,
-- volatility_monthly_36m, volatility_annualized_12m, volatility_annualized_36m and max_drawdown_36m, NaN where they are
-- not known; risk_level, empty where there is none; risk_score, nullable; and method_version.
SELECT series_id, groupConcat(line) AS lines
FROM
(
    SELECT
        series_id,
        formatRow('RowBinary', month, ifNull(volatility_monthly_12m, nan), ifNull(volatility_monthly_36m, nan), ifNull(volatility_annualized_12m, nan),
                  ifNull(volatility_annualized_36m, nan), ifNull(max_drawdown_36m, nan), ifNull(toString(risk_level), ''), risk_score, toString(method_version)) AS line
    FROM risk_month
    WHERE batch = {batch:UInt64} AND series_id IN (SELECT series_id FROM batch_universe(batch = {batch:UInt64}))
    ORDER BY series_id, month
)
GROUP BY series_id
