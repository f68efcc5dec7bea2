-- Does the difference of cost between two series of one fund explain the difference of their returns?
--
-- Answer: one row for each fund: mean cost rates of three years of its cheapest and its most expensive series,
-- their difference, and the difference of the returns of these two series, all in percent a year.
-- Caveats: both series hold the same, so that the two differences are close. The second is a little larger,
-- because the cost is also taken from what the portfolio gained. Returns have distributions reinvested. Only
-- series with all 36 months, each with a stated rate and some equity, and only funds with at least two such
-- series.
-- Market: synthetic
SELECT
    fund,
    count()                                                  AS series,
    round(100 * min(cost), 2)                                AS lowest_cost_percent,
    round(100 * max(cost), 2)                                AS highest_cost_percent,
    round(100 * (max(cost) - min(cost)), 2)                  AS difference_of_costs,
    round(100 * (argMin(yearly, (cost, series_id)) - argMax(yearly, (cost, series_id))), 2) AS difference_of_returns
FROM
(
    SELECT series_id, avg(tac) AS cost, exp(sum(log(1 + adjusted_return)) / 3) - 1 AS yearly
    FROM funds.monthly
    WHERE month > '2022-06-30' AND month <= '2025-06-30'
    GROUP BY series_id
    HAVING count(adjusted_return) = 36 AND countIf(tac_kind = 'stated') = 36 AND countIf(equity > 0) = 36
) AS costs
INNER JOIN funds.series AS listed ON listed.series_id = costs.series_id
GROUP BY fund, fund_id
HAVING series >= 2
ORDER BY max(cost) - min(cost) DESC, fund_id
