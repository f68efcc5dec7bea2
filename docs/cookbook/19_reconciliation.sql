-- Do our returns agree with those that the regulator publishes, and if not, why?
--
-- Answer: one row for each length, basis and cause: number of series, and the largest difference in percent
-- points, and the largest one after distributions are reinvested. The cause is "agrees" where the
-- difference is at most 0.001 percent points.
-- Caveats: docs/reconciliation.md explains the causes.
-- Market: synthetic
SELECT
    years, basis,
    ifNull(cause, 'agrees')                           AS cause_of_difference,
    count()                                           AS series,
    round(100 * max(abs(difference)), 4)              AS largest_points,
    round(100 * max(abs(reinvested_difference)), 4)   AS largest_reinvested_points
FROM funds.reconciliation
GROUP BY years, basis, cause_of_difference
ORDER BY years, basis, series DESC, cause_of_difference
