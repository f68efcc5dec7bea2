-- What happens to series of mutual funds between quotes (docs/backtests.md, section 4), as batch N sees it: each day with whose
-- quote the number of quotas is multiplied by a factor, or before which the series breaks. A distribution
-- factor from 1 to 1.5 counts, and an adjustment after which the quote is within 20 % of the
-- quote before, as in the daily market. Any other factor is a break, and so are a change of currency,
-- a restart, a change of unit and a curated discontinuity. A gap is none: the position is held. It covers the series with ids from first to last,
-- because its memory grows with them.
--   SELECT * FROM batch_series_step(batch = 7, first = 0, last = 4294967295) WHERE NOT broken
CREATE OR REPLACE VIEW batch_series_step AS
WITH
    stepping AS
    (
        -- Most series have neither a factor nor a break.
        SELECT DISTINCT series_id
        FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
        WHERE (adjustment_factor != 1 OR distribution_factor != 1) AND series_id BETWEEN {first:UInt32} AND {last:UInt32}
    ),
    quotes AS
    (
        SELECT
            series_id, date, quota, toFloat64(ifNull(adjustment_factor, 1)) AS adjustment, toFloat64(ifNull(distribution_factor, 1)) AS distribution,
            any(quota) OVER (PARTITION BY series_id ORDER BY date ROWS BETWEEN 1 PRECEDING AND 1 PRECEDING) AS quota_before
        FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
        WHERE quota > 0 AND series_id IN (SELECT series_id FROM stepping)
    ),
    breaking AS
    (
        SELECT series_id, date AS since FROM discontinuity
        WHERE batch = {batch:UInt64} AND kind NOT IN ('adjustment', 'gap') AND series_id BETWEEN {first:UInt32} AND {last:UInt32}
    ),
    breaks AS
    (
        -- A break may be on a day without a quote. The next quote is the later one of the two.
        SELECT broken.series_id AS series_id, min(quoted.date) AS date
        FROM breaking AS broken
        INNER JOIN
        (
            SELECT series_id, date
            FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
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
        cuota_factors_believed(quota, adjustment, distribution, quota_before) AS accepted,
        (adjustment * distribution, NOT accepted) AS step
    FROM quotes
    WHERE adjustment != 1 OR distribution != 1
    UNION ALL
    SELECT series_id, date, true, (1, true) FROM breaks
)
GROUP BY series_id, date
SETTINGS join_use_nulls = 0
