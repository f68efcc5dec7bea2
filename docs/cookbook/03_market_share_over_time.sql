-- Which managers gained or lost market share over five years?
--
-- Answer: one row for each manager: share of the equity of all managers in percent at the end of June of
-- 2020 and of 2025, and the gain in percent points, largest first.
-- Caveats: a manager without equity at one of the two ends has null there. Mergers of managers are not
-- joined.
-- Market: synthetic
SELECT
    manager,
    round(100 * anyIf(share, month = '2020-06-30'), 2) AS share_2020_percent,
    round(100 * anyIf(share, month = '2025-06-30'), 2) AS share_2025_percent,
    round(share_2025_percent - share_2020_percent, 2)  AS gain_points
FROM funds.manager_monthly
WHERE month IN ('2020-06-30', '2025-06-30')
GROUP BY manager
ORDER BY gain_points DESC, manager
