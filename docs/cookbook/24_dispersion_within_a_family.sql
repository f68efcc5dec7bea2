-- How much does the choice of the series matter within a family?
--
-- Answer: one row for each family and currency: number of series and of funds, worst, median and best
-- return of three years in percent a year, and the distance from worst to best in percent points.
-- Caveats: only series that are alive and three years old, in families of at least four. Where one fund is
-- the whole family, the distance is that of its costs.
-- Market: synthetic
SELECT
    family, currency,
    count()                                     AS series,
    uniqExact(fund_id)                          AS funds,
    round(100 * min(return_3y_ann), 2)          AS worst_percent,
    round(100 * medianExact(return_3y_ann), 2)  AS median_percent,
    round(100 * max(return_3y_ann), 2)          AS best_percent,
    round(100 * (max(return_3y_ann) - min(return_3y_ann)), 2) AS distance_points
FROM funds.screener
WHERE family IS NOT NULL AND return_3y_ann IS NOT NULL AND equity > 0
GROUP BY family, currency
HAVING series >= 4
ORDER BY distance_points DESC, family, currency
