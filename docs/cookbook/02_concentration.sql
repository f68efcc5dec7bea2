-- How concentrated is each category of funds among managers?
--
-- Answer: one row for each category: equity in thousands of millions of pesos, number of managers, share of the
-- three largest in percent, and the Herfindahl-Hirschman index (sum of the squared shares in percent: 10,000 is
-- one manager alone, and above 2,500 usually counts as concentrated).
-- Caveats: only series that are alive and have equity; a manager without one in the category is not counted.
-- Series without a category are left out.
-- Market: demo
SELECT
    category,
    round(sum(manager_clp) / 1e9, 1)                                              AS thousand_million_pesos,
    count()                                                                       AS managers,
    round(100 * arraySum(arraySlice(arrayReverseSort(groupArray(part)), 1, 3)), 1) AS three_largest_percent,
    round(sum(pow(100 * part, 2)))                                                AS hhi
FROM
(
    SELECT category, manager_id, sum(equity_clp) AS manager_clp, manager_clp / sum(manager_clp) OVER (PARTITION BY category) AS part
    FROM funds.screener
    WHERE category IS NOT NULL AND equity_clp > 0
    GROUP BY category, manager_id
)
GROUP BY category
ORDER BY sum(pow(part, 2)) DESC, category
