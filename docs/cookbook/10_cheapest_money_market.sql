-- Which money market series in pesos are the cheapest for a small investor?
--
-- Answer: the fifteen cheapest series of the class Retail: cost rate in percent a year, the regulator's real
-- return of one year in percent, equity in millions of pesos.
-- Caveats: synthetic cost rates of the newest comparator; rates of other kinds do not compare with them. Equity
-- is of 2025-07-20, while rate and return are of 2025-09-30, the date of the comparator. Only series with
-- equity. A series may have a minimum amount, which no file states.
-- Market: demo
SELECT
    s.run AS run, s.serie AS serie, s.fund AS fund, s.manager AS manager,
    round(100 * s.tac, 3)                AS tac_percent,
    round(100 * official.real_1y, 2)     AS real_1y_percent,
    round(s.equity_clp / 1e6)            AS million_pesos
FROM funds.screener AS s
LEFT JOIN (SELECT series_id, real_1y FROM funds.official_returns WHERE date = (SELECT max(date) FROM funds.official_returns)) AS official
    ON official.series_id = s.series_id
WHERE s.category = 'money_market' AND s.currency = 'PESOS' AND s.investor_class = 'Retail' AND s.equity > 0
  AND s.tac_kind = 'synthetic' AND s.tac_date = (SELECT max(tac_date) FROM funds.screener WHERE tac_kind = 'synthetic')
ORDER BY s.tac, run, serie
LIMIT 15
