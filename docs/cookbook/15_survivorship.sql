-- How much better does the market look if series that closed later are left out?
--
-- Answer: one row for each calendar year: number of series of mutual funds that had equity at the start of
-- the year, how many of them are still alive today, the mean real return of the year of all of them and of
-- those alive, both in percent, and the difference in percent points.
-- Caveats: a series that closed within the year counts with its months until then, and the rest of the year
-- as 0. Every series counts the same, whatever its size.
-- Market: synthetic
WITH yearly AS
(
    SELECT
        months.series_id AS series_id, toYear(months.month) AS year, any(listed.current) AS alive,
        exp(sum(log(1 + months.price_return_real))) - 1 AS real_return
    FROM funds.monthly AS months
    INNER JOIN funds.series AS listed ON listed.series_id = months.series_id
    WHERE listed.vehicle = 'mutual_fund' AND months.price_return_real IS NOT NULL AND months.equity > 0 AND listed.first_date < makeDate(toYear(months.month), 1, 1)
    GROUP BY series_id, year
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
