-- What happens to some series between quotes (docs/backtests.md, section 4): each day with whose
-- quote the number of quotas is multiplied by a factor, or before which the series breaks. A distribution
-- factor from 1 to 1.5 counts, and an adjustment after which the quote is within 20 % of the
-- quote before, as in the daily market. Any other factor is a break, and so are a change of currency,
-- a restart and a curated discontinuity. A gap is none: the position is held.
--   batch   number of the batch
--   series  ids of the series
WITH
    quotes AS
    (
        SELECT
            series_id, date, quota, toFloat64(ifNull(adjustment_factor, 1)) AS adjustment, toFloat64(ifNull(distribution_factor, 1)) AS distribution,
            any(quota) OVER (PARTITION BY series_id ORDER BY date ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING) AS quota_before
        FROM batch_series_day(batch = {batch:UInt64}, series = {series:Array(UInt32)}, all_series = false)
        WHERE quota > 0
    ),
    breaking AS
    (
        SELECT series_id, date AS since FROM discontinuity
        WHERE batch = {batch:UInt64} AND kind NOT IN ('adjustment', 'gap') AND series_id IN {series:Array(UInt32)}
    ),
    breaks AS
    (
        -- A break may be on a day without a quote. The next quote is the later one of the two.
        SELECT broken.series_id AS series_id, min(quoted.date) AS date
        FROM breaking AS broken
        INNER JOIN
        (
            SELECT series_id, date
            FROM batch_series_day(batch = {batch:UInt64}, series = {series:Array(UInt32)}, all_series = false)
            WHERE quota > 0 AND series_id IN (SELECT series_id FROM breaking)
        ) AS quoted ON quoted.series_id = broken.series_id
        WHERE quoted.date >= since
        GROUP BY broken.series_id, since
    )
SELECT series_id, date, max(step.2) AS broken, if(broken, 1, max(step.1)) AS factor
FROM
(
    SELECT
        series_id, date,
        distribution BETWEEN 1 AND 1.5
            AND (adjustment = 1 OR quota_before > 0 AND abs(toFloat64(quota) * adjustment / toFloat64(quota_before) - 1) <= 0.2) AS accepted,
        (adjustment * distribution, NOT accepted) AS step
    FROM quotes
    WHERE adjustment != 1 OR distribution != 1
    UNION ALL
    SELECT series_id, date, true, (1, true) FROM breaks
)
GROUP BY series_id, date
ORDER BY series_id, date
SETTINGS join_use_nulls = 0
