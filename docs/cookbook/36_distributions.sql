-- Which series paid distributions, and how much did they add to the return?
--
-- Answer: one row for each series that paid in 2024: number of distributions, what they paid in percent of the
-- quota, the price return and the total return of the year to 2024-12-31 in percent.
-- Caveats: distributions as the daily file states them, with a factor of at most 1.5. The total return reinvests
-- verified factors, and exists only where every day has one. A return that can't be computed is null.
-- Market: synthetic
WITH paid AS
(
    SELECT series_id, count() AS distributions, sum(distribution_factor - 1) AS part
    FROM funds.distributions
    WHERE source = 'cartola' AND accepted AND date BETWEEN '2024-01-01' AND '2024-12-31'
    GROUP BY series_id
)
SELECT
    listed.fund AS fund, listed.serie AS serie,
    paid.distributions                    AS distributions,
    round(100 * paid.part, 2)             AS paid_percent,
    round(100 * prices.return_1y, 2)      AS price_return_percent,
    round(100 * totals.total_return, 2)   AS total_return_percent
FROM paid
INNER JOIN funds.series AS listed ON listed.series_id = paid.series_id
LEFT JOIN (SELECT series_id, return_1y FROM funds.returns_daily WHERE date = '2024-12-31') AS prices ON prices.series_id = paid.series_id
LEFT JOIN
(
    SELECT series_id, total_return
    FROM funds.total_returns_of(series = (SELECT toString(groupArray(series_id)) FROM paid), as_of = '2024-12-31', valuation = 'accounting')
    WHERE window = '1y'
) AS totals ON totals.series_id = paid.series_id
ORDER BY paid.part DESC, paid.series_id
