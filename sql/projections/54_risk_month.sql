-- Risk of each series at the end of each closed month (RULES 5), from monthly
-- returns: those of the 36 months up to a month that this batch computed anew.
-- Every figure is taken over returns in the order of their months, so that it does
-- not depend on the order of rows; the score is a whole number throughout.
--
-- The rank of a value is (series below + half of those equal, itself included) / n
-- among the n series of the month that have both figures: mutual funds among
-- themselves, whose quotes are struck each day, and investment funds among themselves. The score is 100 times
-- the mean of the two ranks, a half rounded up. The drawdown begins with the quote
-- that the first of the 36 months starts from.
INSERT INTO risk_month
    (batch, series_id, month, volatility_monthly_12m, volatility_monthly_36m, volatility_annualized_12m, volatility_annualized_36m,
     max_drawdown_36m, risk_score, risk_level, downside_deviation_36m, var_95_1m, beta_36m, tracking_error_36m, method_version)
WITH
    reached AS
    (
        SELECT DISTINCT toLastDayOfMonth(addMonths(month, arrayJoin(range(36)))) AS month FROM month_build WHERE batch = {batch:UInt64}
    ),
    seen AS
    (
        SELECT
            series_id, month, quote_date,
            groupArrayIf((month, assumeNotNull(growth), assumeNotNull(peak), assumeNotNull(trough), assumeNotNull(drawdown)),
                         growth IS NOT NULL) OVER years AS steps
        FROM series_month
        WHERE batch = {batch:UInt64} AND month > subtractMonths((SELECT min(month) FROM reached), 36)
        WINDOW years AS (PARTITION BY series_id ORDER BY toRelativeMonthNum(month) RANGE BETWEEN 35 PRECEDING AND CURRENT ROW)
    ),
    measured AS
    (
        SELECT
            series_id, month,
            arrayMap(s -> s.2 - 1, steps) AS returns,
            arrayMap(s -> s.2 - 1, arrayFilter(s -> toRelativeMonthNum(month) - toRelativeMonthNum(s.1) < 12, steps)) AS last_returns,
            length(returns) = 36 AS whole,
            length(last_returns) = 12 ? arrayReduce('stddevSampStable', last_returns) : NULL AS volatility_12,
            whole ? arrayReduce('stddevSampStable', returns) : NULL AS volatility_36,
            -- Walks over the months: level at the start, peak so far, drawdown.
            whole ? arrayFold((at, s) -> (at.1 * s.2,
                                          greatest(at.2, at.1 * s.3),
                                          least(at.3, s.5, at.1 * s.4 / at.2 - 1)),
                              steps, (1., 1., 0.)).3 : NULL AS max_drawdown
        FROM seen
        WHERE quote_date IS NOT NULL AND month IN reached
    ),
    ranked AS
    (
        SELECT
            *,
            series_id IN (SELECT id FROM registry WHERE kind = 'fi_series')               AS by_book,
            count() OVER (PARTITION BY month, by_book, whole)                                AS n,
            rank()  OVER (PARTITION BY month, by_book, whole ORDER BY volatility_36) - 1     AS calmer,
            count() OVER (PARTITION BY month, by_book, whole, volatility_36)                 AS as_calm,
            rank()  OVER (PARTITION BY month, by_book, whole ORDER BY max_drawdown DESC) - 1 AS shallower,
            count() OVER (PARTITION BY month, by_book, whole, max_drawdown)                  AS as_shallow,
            whole ? intDiv(100 * (2 * (calmer + shallower) + as_calm + as_shallow) + 2 * n, 4 * n) : NULL AS score
        FROM measured
    )
SELECT
    {batch:UInt64}, series_id, month,
    volatility_12, volatility_36, volatility_12 * sqrt(12), volatility_36 * sqrt(12),
    max_drawdown,
    score,
    multiIf(score IS NULL, NULL, score < 34, 'low', score < 67, 'medium', 'high'),
    whole ? sqrt(arraySum(r -> r < 0 ? r * r : 0, returns) / 36) * sqrt(12) : NULL,
    whole ? arrayReduce('quantileExactInclusive(0.05)', returns) : NULL,
    NULL,
    NULL,
    'risk_v1'
FROM ranked
UNION ALL
SELECT
    {batch:UInt64}, series_id, month, volatility_monthly_12m, volatility_monthly_36m, volatility_annualized_12m, volatility_annualized_36m,
    max_drawdown_36m, risk_score, risk_level, downside_deviation_36m, var_95_1m, beta_36m, tracking_error_36m, method_version
FROM risk_month
WHERE batch = {previous:UInt64} AND month <= {as_of:Date} AND month NOT IN reached
