-- How much cheaper is voluntary pension saving (APV) than the ordinary series of the same fund?
--
-- Answer: one row for each category: number of funds that have both, the median over these funds of the cheapest
-- Retail rate and of the cheapest APV rate, the median difference in percent points, and the number of funds
-- whose APV series is not cheaper.
-- Caveats: synthetic rates of the newest comparator, of series with equity. The category is that of the fund.
-- Categories of fewer than five such funds are left out. Tax advantages of the saving are not in it.
-- Market: demo
SELECT
    listed.category AS category,
    count()                                                 AS funds,
    round(100 * quantileExactInclusive(0.5)(retail), 2)     AS retail_percent,
    round(100 * quantileExactInclusive(0.5)(apv), 2)        AS apv_percent,
    round(100 * quantileExactInclusive(0.5)(retail - apv), 2) AS difference_points,
    countIf(apv >= retail)                                  AS not_cheaper
FROM
(
    SELECT
        fund_id,
        minIf(tac, investor_class = 'Retail') AS retail, minIf(tac, investor_class = 'APV') AS apv
    FROM funds.screener
    WHERE equity > 0 AND tac_kind = 'synthetic' AND tac_date = (SELECT max(tac_date) FROM funds.screener WHERE tac_kind = 'synthetic')
    GROUP BY fund_id
    HAVING countIf(investor_class = 'Retail') > 0 AND countIf(investor_class = 'APV') > 0
) AS both
INNER JOIN funds.funds AS listed ON listed.fund_id = both.fund_id
WHERE listed.category IS NOT NULL
GROUP BY category
HAVING funds >= 5
ORDER BY quantileExactInclusive(0.5)(retail - apv) DESC, category
