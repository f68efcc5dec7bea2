-- What do funds cost, by category and class of investor?
--
-- Answer: one row for each category and investor class: number of series, and the lower quartile, the median,
-- the upper quartile and the mean weighted by equity of the cost rate, in percent a year.
-- Caveats: synthetic rates of the newest comparator, which count the costs of funds that a fund holds. Series
-- of which the comparator states no class, series without equity, and groups of fewer than five series are left
-- out.
-- Market: demo
SELECT
    category, investor_class,
    count()                                                       AS series,
    round(100 * quantileExactInclusive(0.25)(tac), 2)             AS lower_quartile_percent,
    round(100 * quantileExactInclusive(0.5)(tac), 2)              AS median_percent,
    round(100 * quantileExactInclusive(0.75)(tac), 2)             AS upper_quartile_percent,
    round(100 * sum(tac * equity_clp) / sum(equity_clp), 2)       AS weighted_percent
FROM funds.screener
WHERE category IS NOT NULL AND investor_class IS NOT NULL AND equity_clp > 0
  AND tac_kind = 'synthetic' AND tac_date = (SELECT max(tac_date) FROM funds.screener WHERE tac_kind = 'synthetic')
GROUP BY category, investor_class
HAVING series >= 5
ORDER BY category, investor_class
