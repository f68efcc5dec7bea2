-- On which days is the market not complete, and how much is missing?
--
-- Answer: one row for each incomplete day that has data: number of series that were quoted in the week before,
-- how many of them have a row, how many of their rows were rejected, and the percentage of their equity that is
-- there.
-- Caveats: a day is complete if at least 98 % of the series and 99 % of their equity have a row, and at most
-- 2 % of the series, or one, have a rejected one. Days on which fewer than half of the series have a quote count as days without data (has_data is
-- false) and are left out. Numbers of an incomplete day may still change, so that figures of the whole market
-- should take complete days only.
-- Market: synthetic
SELECT
    date, prior_series, present_series, rejected_series,
    round(100 * present_equity_clp / prior_equity_clp, 2) AS equity_percent
FROM funds.calendar
WHERE has_data AND NOT complete
ORDER BY date
