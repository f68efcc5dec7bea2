-- The closed months whose risk batch N computes again. In the 36 months up to such a month,
-- batch N has computed a month again, has built days of the market again, or has moved
-- points of a family index, on which beta and tracking error depend. A month is also computed
-- again if the dólar of its end has changed, at which the share of the ranked equity is computed.
-- M (previous) is the batch before.
--   SELECT min(month), max(month) FROM batch_recomputed_risk_month(batch = 7, previous = 6, as_of = '2025-07-20')
CREATE OR REPLACE VIEW batch_recomputed_risk_month AS
SELECT DISTINCT month
FROM
(
    SELECT toLastDayOfMonth(addMonths(month, arrayJoin(range(36)))) AS month
    FROM
    (
        SELECT month FROM series_month_version WHERE batch = {batch:UInt64}
        UNION DISTINCT
        SELECT toLastDayOfMonth(date) FROM market_day_version WHERE build = {batch:UInt64}
        UNION DISTINCT
        -- A correction can move the index dates of many later days. These are the months in
        -- which an index has other points than before, and the month after each, which may
        -- start from these points.
        SELECT toLastDayOfMonth(arrayJoin([month, month + 1]))
        FROM
        (
            SELECT toLastDayOfMonth(date) AS month
            FROM index_day
            WHERE batch IN ({batch:UInt64}, {previous:UInt64}) AND value IS NOT NULL
            GROUP BY family_rar, currency, month
            HAVING groupBitXorIf(cityHash64(date, ifNull(step, 0), step IS NULL), batch = {batch:UInt64})
                != groupBitXorIf(cityHash64(date, ifNull(step, 0), step IS NULL), batch = {previous:UInt64})
        )
    ) AS moved
    UNION DISTINCT
    SELECT date
    FROM
    (
        parts.moved_dolars
    )
    WHERE date = toLastDayOfMonth(date)
) AS reached
WHERE month <= {as_of:Date}
