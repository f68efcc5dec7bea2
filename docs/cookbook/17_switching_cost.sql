-- What does it cost a small investor to stay in the most expensive series of a family?
--
-- Answer: one row for each family: cost rates in percent a year of the most expensive and of the cheapest Retail
-- series in pesos, and what ten million pesos lose to the difference in ten years, in thousands of pesos. The
-- fifteen families with the largest loss.
-- Caveats: both portfolios gain 5 % a year before costs, and the cost is taken from the value at the end of each
-- year, so that money grows to 1.05 * (1 - cost) of itself in a year. The series of a family do not hold the
-- same. Fees and taxes of the switch are not in it. Synthetic cost rates of the newest comparator only; families
-- of at least two series that have at least 100 million pesos each.
-- Market: demo
SELECT
    family,
    count()                                          AS series,
    argMax(run || ' ' || serie, (tac, series_id))    AS most_expensive,
    round(100 * max(tac), 2)                         AS highest_tac_percent,
    argMin(run || ' ' || serie, (tac, series_id))    AS cheapest,
    round(100 * min(tac), 2)                         AS lowest_tac_percent,
    round(10000 * (pow(1.05 * (1 - min(tac)), 10) - pow(1.05 * (1 - max(tac)), 10))) AS lost_thousand_pesos
FROM funds.screener
WHERE investor_class = 'Retail' AND currency = 'PESOS' AND equity >= 1e8 AND family IS NOT NULL
  AND tac_kind = 'synthetic' AND tac_date = (SELECT max(tac_date) FROM funds.screener WHERE tac_kind = 'synthetic')
GROUP BY family
HAVING series >= 2
ORDER BY pow(1.05 * (1 - min(tac)), 10) - pow(1.05 * (1 - max(tac)), 10) DESC, family
LIMIT 15
