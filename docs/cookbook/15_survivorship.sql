-- How much better does the market look if series that closed later are left out?
--
-- Answer: one row for each calendar year: number of series of mutual funds that had equity at the end of the
-- year before, how many of them are still alive today, the mean real return of the year of all of them and of
-- those alive, both in percent, and the difference in percent points.
-- Caveats: the months of a series count that have a return, and equity at their end. Every other month of the
-- year counts as a real return of 0. So a series that closed has no return from its last month end on, and one
-- that closed before the end of January counts as 0 for the whole year. Every series counts the same, whatever
-- its size.
-- Market: synthetic
WITH
    held AS
    (
        SELECT ends.series_id AS series_id, toYear(ends.month) + 1 AS year, listed.current AS alive
        FROM funds.monthly AS ends
        INNER JOIN funds.series AS listed ON listed.series_id = ends.series_id
        WHERE listed.vehicle = 'mutual_fund' AND toMonth(ends.month) = 12 AND ends.equity > 0
    ),
    gains AS
    (
        SELECT series_id, toYear(month) AS year, exp(sum(log(1 + price_return_real))) - 1 AS real_return
        FROM funds.monthly
        WHERE price_return_real IS NOT NULL AND equity > 0
        GROUP BY series_id, year
    ),
    yearly AS
    (
        SELECT held.year AS year, held.alive AS alive, ifNull(gains.real_return, 0) AS real_return
        FROM held
        LEFT JOIN gains ON gains.series_id = held.series_id AND gains.year = held.year
    )
SELECT
    year,
    count()                                                       AS series,
    countIf(alive)                                                AS alive_today,
    round(100 * avg(real_return), 2)                              AS all_percent,
    round(100 * avgIf(real_return, alive), 2)                     AS alive_percent,
    round(100 * (avgIf(real_return, alive) - avg(real_return)), 3) AS difference_points
FROM yearly
WHERE year BETWEEN 2021 AND 2024
GROUP BY year
ORDER BY year
