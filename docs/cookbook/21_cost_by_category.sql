-- What do funds cost, by category and class of investor?
--
-- Answer: one row for each category and investor class: number of series, and the lower quartile, the
-- median, the upper quartile and the mean weighted by equity of the cost rate, in percent a year.
-- Caveats: synthetic rates of the newest comparator, which count the costs of funds that a fund holds.
-- Series without a class are closed to the public.
-- Market: demo
SELECT
    category, investor_class,
    count()                                                       AS series,
    round(100 * quantileExactInclusive(0.25)(tac), 2)             AS lower_quartile_percent,
    round(100 * quantileExactInclusive(0.5)(tac), 2)              AS median_percent,
    round(100 * quantileExactInclusive(0.75)(tac), 2)             AS upper_quartile_percent,
    round(100 * sumIf(tac * equity_clp, equity_clp > 0) / sumIf(equity_clp, equity_clp > 0), 2) AS weighted_percent
FROM funds.screener
WHERE tac_kind = 'synthetic' AND category IS NOT NULL AND investor_class IS NOT NULL
GROUP BY category, investor_class
HAVING series >= 5
ORDER BY category, investor_class
