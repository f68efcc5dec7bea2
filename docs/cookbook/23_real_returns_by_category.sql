-- What is left of the return of each category once inflation is taken off?
--
-- Answer: one row for each category and window (one, three and five years up to the cutoff): number of series,
-- and the lowest, median and highest real return in percent; of three and five years per year.
-- Caveats: in pesos beyond the growth of the UF, also for series in dollars. Returns leave out distributions, so
-- that a series that pays them seems to return less than it did. Only series with equity that are alive and old
-- enough: see question 15 about those that closed.
-- Market: synthetic
SELECT
    category, window,
    count()                                         AS series,
    round(100 * min(price_return_real), 2)                         AS lowest_percent,
    round(100 * quantileExactInclusive(0.5)(price_return_real), 2) AS median_percent,
    round(100 * max(price_return_real), 2)                         AS highest_percent
FROM funds.returns_daily_long AS returns
INNER JOIN funds.screener AS s ON s.series_id = returns.series_id
WHERE returns.date = (SELECT as_of_date FROM funds.published)
  AND window IN ('1y', '3y_ann', '5y_ann') AND price_return_real IS NOT NULL AND category IS NOT NULL AND s.equity > 0
GROUP BY category, window
ORDER BY category, window
