-- Are large series cheaper than small ones?
--
-- Answer: one row for each category and quarter of equity (1 holds the smallest series): number of series, their
-- median equity in millions of pesos, and their median cost rate in percent a year.
-- Caveats: synthetic rates of the newest comparator. Only series of the class Retail with equity, because the
-- size of a series also depends on whom it is for. The categories structured and other are left out. quarter =
-- ceil(4 * place / number of series), so that spare series fall into the last quarters.
-- Market: demo
SELECT
    category, quarter,
    count()                                       AS series,
    round(quantileExactInclusive(0.5)(equity_clp) / 1e6) AS million_pesos,
    round(100 * quantileExactInclusive(0.5)(tac), 2) AS median_tac_percent
FROM
(
    SELECT
        category, equity_clp, tac,
        toUInt8(ceil(4 * row_number() OVER (PARTITION BY category ORDER BY equity_clp, series_id) / count() OVER (PARTITION BY category))) AS quarter
    FROM funds.screener
    WHERE investor_class = 'Retail' AND equity_clp > 0 AND category IN ('money_market', 'fixed_income', 'balanced', 'equity')
      AND tac_kind = 'synthetic' AND tac_date = (SELECT max(tac_date) FROM funds.screener WHERE tac_kind = 'synthetic')
)
GROUP BY category, quarter
ORDER BY category, quarter
