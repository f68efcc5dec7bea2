-- Which families of funds move together, and which do not?
--
-- Answer: one row for each pair of families in pesos: the correlation of the monthly returns of their indices,
-- and the number of months. 1 is the same movement, 0 none in common.
-- Caveats: pairs with at least 36 months in common, up to the cutoff. The correlation of the past says little
-- about a crisis.
-- Market: synthetic
SELECT
    one.family AS family, other.family AS other_family,
    round(corr(one.index_return, other.index_return), 2) AS correlation,
    count()                                              AS months
FROM funds.family_monthly AS one
INNER JOIN funds.family_monthly AS other ON other.month = one.month
WHERE one.family < other.family AND one.currency = 'PESOS' AND other.currency = 'PESOS'
  AND one.month <= (SELECT as_of_date FROM funds.published)
GROUP BY family, other_family
HAVING months >= 36
ORDER BY corr(one.index_return, other.index_return) DESC, family, other_family
