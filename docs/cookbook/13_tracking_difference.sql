-- How far was each series of moderate balanced funds from the index of its family over three years, and how closely
-- did it follow?
--
-- Answer: one row for each series, those that followed the index most closely first: tracking difference (return
-- of the series less that of the index, percent a year), tracking error (standard deviation of the monthly
-- differences, percent a year) and the beta of 36 months.
-- Caveats: the index of a family is the mean of its series weighted by equity, after costs. A large series is a
-- large part of its own index. Only series with all 36 months and some equity in each, where the index has all
-- of them too. Returns have distributions reinvested.
-- Market: synthetic
WITH pairs AS
(
    SELECT months.series_id AS series_id, months.month AS month, months.adjusted_return AS own, indices.index_return AS family_return, months.beta_36m AS beta
    FROM funds.monthly AS months
    INNER JOIN funds.series AS listed ON listed.series_id = months.series_id
    INNER JOIN funds.family_monthly AS indices ON indices.family = listed.family AND indices.currency = listed.currency AND indices.month = months.month
    WHERE listed.family = 'Balanceado moderado' AND months.month > '2022-06-30' AND months.month <= '2025-06-30' AND months.equity > 0
)
SELECT
    fund, serie,
    round(100 * (exp(sum(log(1 + own)) / 3) - exp(sum(log(1 + family_return)) / 3)), 2) AS difference_percent,
    round(100 * stddevSamp(own - family_return) * sqrt(12), 2)                          AS tracking_error_percent,
    round(argMax(beta, month), 2)                                                       AS beta_36m
FROM pairs
INNER JOIN funds.series USING (series_id)
GROUP BY series_id, fund, serie
HAVING count(own) = 36
ORDER BY stddevSamp(own - family_return), series_id
