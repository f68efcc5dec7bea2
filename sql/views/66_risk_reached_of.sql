-- The closed months whose risk batch N computes anew: those in whose 36 months lies
-- one that it computed anew, or in which it built days of the market anew or points of
-- a family index moved, since beta and tracking error look at these. M is the batch
-- before.
--   SELECT min(month), max(month) FROM risk_reached_of(batch = 7, previous = 6, as_of = '2025-07-20')
CREATE OR REPLACE VIEW risk_reached_of AS
SELECT DISTINCT toLastDayOfMonth(addMonths(month, arrayJoin(range(36)))) AS month
FROM
(
    SELECT month FROM month_build WHERE batch = {batch:UInt64}
    UNION DISTINCT
    SELECT toLastDayOfMonth(date) FROM market_build WHERE build = {batch:UInt64}
    UNION DISTINCT
    -- A correction can move the index dates of many days after it: the months in
    -- which the points of an index are other ones, and the next, which may start
    -- from them.
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
WHERE month <= {as_of:Date}
