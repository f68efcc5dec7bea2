-- Which managers gained or lost market share over five years?
--
-- Answer: one row for each manager: share of the equity of all managers in percent at the end of June of 2020
-- and of 2025, and the gain in percent points, largest first.
-- Caveats: a manager without equity at one of the two ends has 0 or null there. Mergers of managers are not
-- joined.
-- Market: synthetic
SELECT
    manager,
    round(100 * share_2020, 2)                AS share_2020_percent,
    round(100 * share_2025, 2)                AS share_2025_percent,
    round(100 * (share_2025 - share_2020), 2) AS gain_points
FROM
(
    SELECT
        manager_id, manager,
        anyIf(share, month = '2020-06-30') AS share_2020, -- a manager has one row for each month
        anyIf(share, month = '2025-06-30') AS share_2025
    FROM funds.manager_monthly
    WHERE month IN ('2020-06-30', '2025-06-30')
    GROUP BY manager_id, manager
)
ORDER BY share_2025 - share_2020 DESC, manager_id
