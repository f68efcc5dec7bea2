-- How much new money did each manager win or lose in each year?
--
-- Answer: one row for each year and manager: net contributions of the year in millions of pesos, and the same as
-- a percentage of the equity at the end of the year before. The managers of a year are ordered by the
-- percentage.
-- Caveats: a net contribution is what investors paid in less what they took out, on each day at the quota of the
-- day; gains of the market are not in it. Managers with less than 1,000 million pesos at the end of the year
-- before, and new ones, are left out. Exchanges between series count as both.
-- Market: synthetic
WITH yearly AS
(
    SELECT
        manager_id, manager, toYear(month) AS year,
        sum(flow_clp) AS paid_in, argMax(equity_clp, month) AS at_end
    FROM funds.manager_monthly
    GROUP BY manager_id, manager, year
)
SELECT
    now.year AS year, now.manager AS manager,
    round(now.paid_in / 1e6)                      AS million_pesos,
    round(100 * now.paid_in / before.at_end, 2)   AS percent_of_equity
FROM yearly AS now
INNER JOIN yearly AS before ON before.manager_id = now.manager_id AND before.year = now.year - 1
WHERE now.year BETWEEN 2021 AND 2024 AND before.at_end >= 1e9
ORDER BY year, now.paid_in / before.at_end DESC, now.manager_id
