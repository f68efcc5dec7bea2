-- The risk of each series of mutual funds at the end of each month. It has one row for
-- each series. Its columns are one text of the format RowBinary, each an array by month, which is read
-- several times faster than rows: month, volatility of 12 and of 36 months, each per year, and maximum drawdown.
-- What is not known is NaN.
--   part, parts  series whose id leaves the rest {part} when divided by {parts}
SELECT
    series_id,
    formatRow('RowBinary', groupArray(month), groupArray(ifNull(volatility_annualized_12m, nan)), groupArray(ifNull(volatility_annualized_36m, nan)),
              groupArray(ifNull(max_drawdown_36m, nan))) AS columns
FROM
(
    SELECT series_id, month, volatility_annualized_12m, volatility_annualized_36m, max_drawdown_36m
    FROM risk_month
    WHERE batch = {batch:UInt64} AND series_id % {parts:UInt32} = {part:UInt32}
      AND series_id IN (SELECT series_id FROM series WHERE batch = {batch:UInt64})
    ORDER BY series_id, month
)
GROUP BY series_id
