-- How did the cost of a series change over the years?
--
-- Answer: one row for each series of the RUN 9809-4 and year: number of months, and their mean cost rate in
-- percent a year.
-- Caveats: rates that are computed from the fees and expenses of each day, without the costs of the funds
-- that the fund holds. The stated synthetic rate is higher and does not compare with them.
-- Market: demo
SELECT
    serie, toYear(month) AS year,
    count()                       AS months,
    round(100 * avg(costs.tac), 3) AS tac_percent
FROM funds.costs_monthly AS costs
INNER JOIN funds.series AS listed ON listed.series_id = costs.series_id
WHERE run = '9809-4' AND costs.tac_kind = 'computed' AND costs.tac IS NOT NULL
GROUP BY serie, year
ORDER BY serie, year
