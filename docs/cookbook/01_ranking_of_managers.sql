-- Which managers are the largest, and how much of the market does each hold?
--
-- Answer: one row for each of the fifteen largest managers: rank, equity in thousands of millions of pesos,
-- share of the equity of all managers in percent, number of funds, of series and of investors.
-- Caveats: equity in dollars counts at the official rate. An investor with two series counts twice.
-- Market: demo
SELECT
    row_number() OVER (ORDER BY equity_clp DESC, manager_id) AS place,
    manager,
    round(equity_clp / 1e9, 1)  AS thousand_million_pesos,
    round(100 * share, 2)       AS share_percent,
    funds, series, shareholders
FROM funds.manager_monthly
WHERE month = (SELECT toLastDayOfMonth(as_of_date) FROM funds.published)
ORDER BY place
LIMIT 15
