-- How much of the return of dollar funds came from the dollar?
--
-- Answer: one row for each year: number of series in dollars, their median return in dollars and in pesos, and
-- the change of the dollar against the peso over the year, all in percent.
-- Caveats: price returns. The dollar is the official rate of the quotes' days. Series with 12 months of the year
-- and some equity in each.
-- Market: synthetic
WITH yearly AS
(
    SELECT
        series_id, toYear(month) AS year,
        exp(sum(log(1 + price_return))) - 1     AS in_dollars,
        exp(sum(log(1 + price_return_clp))) - 1 AS in_pesos
    FROM funds.monthly
    WHERE currency = 'DOLAR' AND series_id IN (SELECT series_id FROM funds.series WHERE vehicle = 'mutual_fund')
    GROUP BY series_id, year
    HAVING count(price_return_clp) = 12 AND countIf(equity > 0) = 12
)
SELECT
    year,
    count()                                                 AS series,
    round(100 * quantileExactInclusive(0.5)(in_dollars), 2) AS dollars_percent,
    round(100 * quantileExactInclusive(0.5)(in_pesos), 2)   AS pesos_percent,
    round(100 * (quantileExactInclusive(0.5)((1 + in_pesos) / (1 + in_dollars)) - 1), 2) AS dollar_percent
FROM yearly
GROUP BY year
ORDER BY year
