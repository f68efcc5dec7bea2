-- How much does the choice of the series matter within a family?
--
-- Answer: one row for each family and currency: number of series and of funds, worst, median and best return of
-- three years in percent a year, and the distance from worst to best in percent points.
-- Caveats: only series that are alive, with all of the last 36 months and some equity in each, in groups of family
-- and currency with at least four such series. Returns are nominal, after costs, with distributions reinvested. Where one fund is the
-- whole family, its series hold the same, so that the distance comes from their costs: see question 40.
-- Market: synthetic
WITH gains AS
(
    SELECT series_id, exp(sum(log(1 + adjusted_return)) / 3) - 1 AS yearly
    FROM funds.monthly
    WHERE month > '2022-06-30' AND month <= '2025-06-30'
    GROUP BY series_id
    HAVING count(adjusted_return) = 36 AND countIf(equity > 0) = 36
)
SELECT
    family, currency,
    count()                                              AS series,
    uniqExact(fund_id)                                   AS funds,
    round(100 * min(yearly), 2)                          AS worst_percent,
    round(100 * quantileExactInclusive(0.5)(yearly), 2)  AS median_percent,
    round(100 * max(yearly), 2)                          AS best_percent,
    round(100 * (max(yearly) - min(yearly)), 2)          AS distance_points
FROM gains
INNER JOIN funds.screener USING (series_id)
WHERE family IS NOT NULL
GROUP BY family, currency
HAVING series >= 4
ORDER BY max(yearly) - min(yearly) DESC, family, currency
