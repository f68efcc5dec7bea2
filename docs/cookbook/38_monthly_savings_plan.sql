-- What became of 100,000 pesos that somebody paid into a series each month for five years?
--
-- Answer: one row for each series of the two funds with five years: sum of what was paid in millions of pesos,
-- value at the end in millions of pesos, gain in percent of what was paid, and the same beyond the growth of the
-- UF.
-- Caveats: paid at the quota of each month end from July 2020 to June 2025, without fees of purchase and without
-- distributions; valued at the quota of 2025-06-30. Only series quoted on all these days.
-- Market: demo
SELECT
    listed.run AS run, listed.serie AS serie,
    count()                                                                            AS payments,
    round(count() / 10, 1)                                                             AS paid_million_pesos,
    round(sum(100000 / bought.quota) * any(sold.quota) / 1e6, 2)                       AS value_million_pesos,
    round(100 * (sum(100000 / bought.quota) * any(sold.quota) / (count() * 100000) - 1), 2) AS gain_percent,
    round(100 * (sum(1 / bought.quota) * any(sold.quota) / sum(uf_end.uf_clp / uf.uf_clp) - 1), 2) AS real_gain_percent
FROM funds.daily AS bought
INNER JOIN funds.series AS listed ON listed.series_id = bought.series_id
INNER JOIN (SELECT series_id, quota FROM funds.daily WHERE date = '2025-06-30') AS sold ON sold.series_id = bought.series_id
INNER JOIN funds.rates AS uf ON uf.date = bought.date
CROSS JOIN (SELECT uf_clp FROM funds.rates WHERE date = '2025-06-30') AS uf_end
WHERE listed.run IN ('9809-4', '9810-8') AND bought.date = toLastDayOfMonth(bought.date)
  AND bought.date BETWEEN '2020-07-01' AND '2025-06-30' AND bought.quota > 0
GROUP BY run, serie
HAVING payments = 60
ORDER BY sum(1 / bought.quota) * any(sold.quota) DESC, run, serie
