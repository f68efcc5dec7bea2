-- Which series raised their cost most in the last year?
--
-- Answer: up to fifteen rises, the largest first: stated cost rate of June 2024 and of June 2025 in percent a
-- year, the rise in percent points, and what the rise takes from all its investors in a year, in millions of
-- pesos.
-- Caveats: stated rates compare with stated rates only. Only series in which somebody invests.
-- Market: synthetic
SELECT
    s.fund AS fund, s.serie AS serie,
    round(100 * before.tac, 2)                              AS tac_2024_percent,
    round(100 * now.tac, 2)                                 AS tac_2025_percent,
    round(100 * (now.tac - before.tac), 2)                  AS rise_points,
    round((now.tac - before.tac) * s.equity_clp / 1e6, 1)   AS million_pesos_a_year
FROM funds.costs_monthly AS now
INNER JOIN funds.costs_monthly AS before ON before.series_id = now.series_id AND before.tac_kind = now.tac_kind
INNER JOIN funds.screener AS s ON s.series_id = now.series_id
WHERE now.month = '2025-06-30' AND before.month = '2024-06-30' AND now.tac_kind = 'stated' AND now.tac > before.tac AND s.equity_clp > 0
ORDER BY now.tac - before.tac DESC, now.series_id
LIMIT 15
