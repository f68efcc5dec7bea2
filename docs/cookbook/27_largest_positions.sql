-- Which funds depend most on a few positions?
--
-- Answer: the fifteen funds with the largest five positions: number of positions, and percentage of the
-- assets in the largest one and in the largest five.
-- Caveats: at the newest month end. Two lots of one instrument are one position here. Cash and derivatives
-- may not be in the portfolio files.
-- Market: synthetic
SELECT
    run, any(listed.name) AS fund,
    count()                                                                              AS positions,
    round(100 * max(part), 1)                                                            AS largest_percent,
    round(100 * arraySum(arraySlice(arrayReverseSort(groupArray(part)), 1, 5)), 1)       AS five_largest_percent
FROM
(
    SELECT run, fund_id, symbol, sum(weight) AS part
    FROM funds.holdings
    WHERE month = (SELECT last_date FROM funds.freshness WHERE dataset = 'holdings')
    GROUP BY run, fund_id, symbol
) AS held
INNER JOIN funds.funds AS listed ON listed.fund_id = held.fund_id
GROUP BY run
ORDER BY five_largest_percent DESC, run
LIMIT 15
