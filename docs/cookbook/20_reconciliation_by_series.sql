-- For which series can we compare our return with the regulator's, and how far apart are they?
--
-- Answer: one row for each series and length that has a value on both sides: the regulator's real return and
-- ours in percent a year, the difference in percent points, the cause, and the days of both.
-- Caveats: the history of the demo market ends ten weeks before the comparator, so that the two windows are not
-- the same: the cause is different_date.
-- Market: demo
SELECT
    run, serie, years,
    round(100 * official_return, 2)  AS official_percent,
    round(100 * price_return, 2)     AS ours_percent,
    round(100 * difference, 2)       AS difference_points,
    cause, date AS comparator_date, effective_start, effective_end
FROM funds.reconciliation
INNER JOIN funds.series USING (series_id)
WHERE basis = 'real' AND difference IS NOT NULL
ORDER BY run, serie, years, comparator_date, series_id
