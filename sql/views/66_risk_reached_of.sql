-- The closed months whose risk batch N computes anew: those in whose 36 months lies
-- one that it computed anew, or in which it built days of the market anew, since beta
-- and tracking error look at family indices. M is the batch before.
--   SELECT min(month), max(month) FROM risk_reached_of(batch = 7, previous = 6, as_of = '2025-07-20')
CREATE OR REPLACE VIEW risk_reached_of AS
SELECT DISTINCT toLastDayOfMonth(addMonths(month, arrayJoin(range(36)))) AS month
FROM
(
    SELECT month FROM month_build WHERE batch = {batch:UInt64}
    UNION DISTINCT
    SELECT toLastDayOfMonth(date) FROM market_build WHERE build = {batch:UInt64}
    UNION DISTINCT
    -- The first day of an index has a point without any eligible series: not
    -- any more, once older days are known. The next month may start from it.
    SELECT arrayJoin([toLastDayOfMonth(first_day), toLastDayOfMonth(first_day + 8)])
    FROM
    (
        SELECT family_rar, currency, min(date) AS first_day
        FROM family_day_of(batch = {previous:UInt64}, from = '1971-01-01', to = '2149-06-06')
        GROUP BY family_rar, currency
    )
    WHERE (family_rar, currency, first_day) NOT IN
    (
        SELECT family_rar, currency, min(date)
        FROM family_day_of(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06')
        GROUP BY family_rar, currency
    )
) AS moved
WHERE month <= {as_of:Date}
