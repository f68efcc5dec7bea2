-- Which funds depend most on a few positions?
--
-- Answer: the fifteen funds with the largest five positions: number of positions, and percentage of the assets
-- in the largest one and in the largest five.
-- Caveats: at the newest month end. Mutual funds only, because investment funds report quarterly, last on
-- 2025-03-31. Two lots of one instrument are one position here. One without a symbol stands for itself. Cash and
-- derivatives may not be in the portfolio files.
-- Market: synthetic
SELECT
    held.run AS run, listed.name AS fund,
    count()                                        AS positions,
    round(100 * max(part), 1)                      AS largest_percent,
    round(100 * arraySum(arraySlice(arrayReverseSort(groupArray(part)), 1, 5)), 1) AS five_largest_percent
FROM
(
    SELECT run, fund_id, coalesce(symbol, concat(market, ' ', toString(position))) AS instrument, sum(weight) AS part
    FROM funds.holdings
    WHERE month = (SELECT last_date FROM funds.freshness WHERE dataset = 'holdings')
    GROUP BY run, fund_id, instrument
) AS held
LEFT JOIN funds.funds AS listed ON listed.fund_id = held.fund_id
GROUP BY run, fund
ORDER BY round(arraySum(arraySlice(arrayReverseSort(groupArray(part)), 1, 5)), 9) DESC, run -- 9: sums of Float64 differ in the last digit
LIMIT 15
SETTINGS join_use_nulls = 1
