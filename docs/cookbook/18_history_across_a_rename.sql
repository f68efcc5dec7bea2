-- What did a series return in each year, under whatever name it had?
--
-- Answer: one row for each renamed series and year: the name at the end of the year, the name of today, and
-- the price return of the year in percent.
-- Caveats: a rename keeps the id, so that returns go across it. Only renames that a file states and that
-- are applied. The first and the last year may be incomplete: see months.
-- Market: synthetic
SELECT
    listed.run AS run,
    argMax(names.serie, months.month)                        AS name_then,
    any(listed.serie)                                        AS name_today,
    toYear(months.month)                                     AS year,
    count()                                                  AS months,
    round(100 * (exp(sum(log(1 + months.price_return))) - 1), 2) AS return_percent
FROM funds.monthly AS months
INNER JOIN funds.series AS listed ON listed.series_id = months.series_id
INNER JOIN funds.series_names AS names ON names.series_id = months.series_id
WHERE months.series_id IN (SELECT series_id FROM funds.renames WHERE applied)
  AND months.price_return IS NOT NULL
  AND months.month >= ifNull(names.valid_from, toDate('1970-01-01'))
  AND months.month <= ifNull(names.valid_until, toDate('2149-06-06'))
GROUP BY run, months.series_id, year
ORDER BY run, name_today, year
