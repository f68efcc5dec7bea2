-- Which funds gave the most return for their risk, in each category?
--
-- Answer: the three best funds of each category: return of three years in percent a year, standard
-- deviation of 36 monthly returns in percent a year, deepest fall in percent, and return divided by
-- deviation.
-- Caveats: nominal, in accounting currency, without a riskless rate. Money market is left out, because its
-- deviation is almost 0. Only series with 36 months; the best series of each fund.
-- Market: synthetic
SELECT
    category, fund, serie,
    round(100 * return_3y_ann, 2)              AS return_percent,
    round(100 * volatility_36m, 2)             AS deviation_percent,
    round(100 * max_drawdown_36m, 2)           AS deepest_fall_percent,
    round(return_3y_ann / volatility_36m, 2)   AS return_for_risk
FROM
(
    SELECT * FROM funds.screener
    WHERE return_3y_ann IS NOT NULL AND volatility_36m > 0 AND category IS NOT NULL AND category != 'money_market' AND equity > 0
    ORDER BY return_3y_ann / volatility_36m DESC, series_id
    LIMIT 1 BY fund_id
)
ORDER BY category, return_for_risk DESC, fund, serie
LIMIT 3 BY category
