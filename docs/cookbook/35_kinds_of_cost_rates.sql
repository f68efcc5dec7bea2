-- How far apart are the three kinds of cost rates of one series and month?
--
-- Answer: one row for each category: number of series, and the median of the synthetic, the stated and the
-- computed rate of June 2025, in percent a year.
-- Caveats: only series that have all three. Synthetic rates count the costs of funds that the fund holds;
-- the computed rate is the mean of the costs of the days.
-- Market: synthetic
SELECT
    last_category AS category,
    count()                                                   AS series,
    round(100 * quantileExactInclusive(0.5)(synthetic), 3)    AS synthetic_percent,
    round(100 * quantileExactInclusive(0.5)(stated), 3)       AS stated_percent,
    round(100 * quantileExactInclusive(0.5)(computed), 3)     AS computed_percent
FROM
(
    SELECT
        series_id,
        maxIf(tac, tac_kind = 'synthetic') AS synthetic, maxIf(tac, tac_kind = 'stated') AS stated, maxIf(tac, tac_kind = 'computed') AS computed
    FROM funds.costs_monthly
    WHERE month = '2025-06-30' AND tac IS NOT NULL
    GROUP BY series_id
    HAVING count() = 3
) AS rates
INNER JOIN funds.series USING (series_id)
GROUP BY category
ORDER BY category
