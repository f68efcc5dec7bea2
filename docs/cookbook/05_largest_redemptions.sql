-- On which days did a series lose the largest part of its equity to redemptions?
--
-- Answer: the fifteen largest: day, manager, fund, series, net redemption in millions of pesos and as a
-- percentage of the equity before (of the last day before that has a row).
-- Caveats: only series with at least 100 million pesos before. A day on which the equity fell to 0 is left out:
-- there the series closed or was emptied on purpose. The fall of the quota is not in it.
-- Market: synthetic
SELECT
    days.date AS date, listed.manager AS manager, listed.fund AS fund, listed.serie AS serie,
    round(-days.flow_clp / 1e6, 1)                 AS million_pesos,
    round(-100 * days.flow_clp / before_clp, 2)    AS percent_of_equity
FROM
(
    SELECT series_id, date, equity_clp, flow_clp, lagInFrame(equity_clp) OVER (PARTITION BY series_id ORDER BY date ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before_clp
    FROM funds.daily
) AS days
INNER JOIN funds.series AS listed ON listed.series_id = days.series_id
WHERE days.flow_clp < 0 AND before_clp >= 1e8 AND days.equity_clp > 0
ORDER BY days.flow_clp / before_clp, date, days.series_id
LIMIT 15
