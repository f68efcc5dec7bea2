-- How much does an average investor have in a series, by category and class?
--
-- Answer: one row for each category and investor class: number of series, number of investors, and millions of
-- pesos for each of them.
-- Caveats: only series with equity, investors, a category and a class. An investor with two series counts twice.
-- Means hide that a few large investors hold most.
-- Market: demo
SELECT
    category, investor_class,
    count()                                             AS series,
    sum(shareholders)                                   AS investors,
    round(sum(equity_clp) / sum(shareholders) / 1e6, 2) AS million_pesos_each
FROM funds.screener
WHERE category IS NOT NULL AND investor_class IS NOT NULL AND shareholders > 0 AND equity_clp > 0
GROUP BY category, investor_class
ORDER BY sum(equity_clp) / sum(shareholders) DESC, category, investor_class
