-- Did money market funds in pesos beat inflation?
--
-- Answer: one row for each calendar year: growth of the UF in percent, number of series of the money market in
-- pesos, their lowest, median and highest nominal return in percent, and how many of them returned more than the
-- UF grew.
-- Caveats: price returns of series with 12 months of the year and some equity in each. The category is the
-- newest one. A closed series drops out if no file gave it a category while it lived.
-- Market: synthetic
WITH yearly AS
(
    SELECT
        series_id, toYear(month) AS year,
        exp(sum(log(1 + price_return))) - 1      AS nominal,
        exp(sum(log(1 + price_return_real))) - 1 AS beyond_uf
    FROM funds.monthly
    WHERE currency = 'PESOS'
    GROUP BY series_id, year
    HAVING count(price_return_real) = 12 AND countIf(equity > 0) = 12
)
SELECT
    year,
    round(100 * (avg((1 + nominal) / (1 + beyond_uf)) - 1), 2) AS uf_percent,
    count()                                AS series,
    round(100 * min(nominal), 2)           AS lowest_percent,
    round(100 * quantileExactInclusive(0.5)(nominal), 2) AS median_percent,
    round(100 * max(nominal), 2)           AS highest_percent,
    countIf(beyond_uf > 0)                 AS series_above_uf
FROM yearly
INNER JOIN funds.series USING (series_id)
WHERE last_category = 'money_market'
GROUP BY year
ORDER BY year
