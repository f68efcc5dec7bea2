-- Which were the worst months of families, and how long did the index take to get back?
--
-- Answer: the ten worst months of families in pesos: return in percent, and the number of months until the index
-- was back at its level of the month end before, or above it (empty if it is not yet).
-- Caveats: index of the family, weighted by equity, after costs. Months up to the cutoff.
-- Market: synthetic
WITH levels AS
(
    SELECT family, month, index_return, exp(sum(log(1 + index_return)) OVER (PARTITION BY family ORDER BY month)) AS level, level / (1 + index_return) AS level_before
    FROM funds.family_monthly
    WHERE currency = 'PESOS' AND month <= (SELECT as_of_date FROM funds.published)
)
SELECT
    bad.family AS family, bad.month AS month,
    round(100 * bad.index_return, 2) AS return_percent,
    dateDiff('month', bad.month, minIfOrNull(later.month, later.level >= bad.level_before AND later.month > bad.month)) AS months_to_recover
FROM levels AS bad
INNER JOIN levels AS later ON later.family = bad.family
GROUP BY family, month, bad.index_return
ORDER BY bad.index_return, family, month
LIMIT 10
