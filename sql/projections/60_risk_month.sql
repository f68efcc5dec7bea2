-- Risk of each series at the end of each closed month from {from} to {to} (RULES 5), from
-- the monthly returns of the 36 months up to it, for the months that this batch computes
-- (batch_recomputed_risk_month). Every figure is computed over the returns in the order of their
-- months, so that it does not depend on the order of rows. The score is computed in whole
-- numbers for the same reason.
--
-- The rank of a value is (series below + half of those equal, itself included) / n among
-- the n series of the month that have both figures. Mutual funds, which have quotes each
-- day, and investment funds are ranked separately. The score is 100 times the mean of the
-- two ranks, with a half rounded up. The drawdown begins with the quote from which the
-- first of the 36 months starts.
--
-- A score states how many series are ranked, how many of the kind have a month-end quote, and which share of
-- the equity of these the ranked ones hold (RULES 7, coverage). The equity is that of the day of the month-end
-- quote, in pesos at the dólar of the month end; what can't be converted counts as 0.
--
-- Beta and tracking error are relative to the index of the family and the currency that the
-- series has on the day of its month-end quote. They use those of the 36 months in which
-- the series had that currency and both returns are known, at least 24. An index that never
-- moved gives no beta.
--
-- chunks: risk_months
INSERT INTO risk_month
    (batch, series_id, month, volatility_monthly_12m, volatility_monthly_36m, volatility_annualized_12m, volatility_annualized_36m,
     max_drawdown_36m, risk_score, risk_score_series, risk_score_of_series, risk_score_share, risk_level, downside_deviation_36m, var_95_1m, beta_36m, tracking_error_36m, method_version)
WITH
    months AS
    (
        SELECT series_id, month, quote_date, equity, growth, peak, trough, drawdown
        FROM series_month
        WHERE batch = {batch:UInt64}
          AND month > subtractMonths(toDate({from:Date}), 36) AND month <= {to:Date}
    ),
    seen AS
    (
        SELECT
            series_id, month, quote_date, equity,
            groupArrayIf((month, assumeNotNull(growth), assumeNotNull(peak), assumeNotNull(trough), assumeNotNull(drawdown)),
                         growth IS NOT NULL) OVER years AS steps
        FROM months
        WINDOW years AS (PARTITION BY series_id ORDER BY toRelativeMonthNum(month) RANGE BETWEEN 35 PRECEDING AND CURRENT ROW)
    ),
    belonged AS
    (
        SELECT months.series_id AS series_id, months.month AS month, months.growth AS growth, market.currency AS currency, market.family_rar AS family_rar
        FROM months
        INNER JOIN
        (
            SELECT date, series_id, toString(currency) AS currency, ifNull(toString(family_rar), '') AS family_rar
            FROM batch_market_day(batch = {batch:UInt64}, from = '1971-01-01', to = {as_of:Date})
            WHERE date IN (SELECT quote_date FROM months WHERE quote_date IS NOT NULL)
        ) AS market ON market.series_id = months.series_id AND market.date = assumeNotNull(months.quote_date)
        WHERE months.quote_date IS NOT NULL
    ),
    compared AS
    (
        -- A series that was reclassified is compared with each of its families.
        SELECT
            series_id, family_rar, currency, month,
            groupArrayIf((assumeNotNull(growth) - 1, index_return), growth IS NOT NULL AND index_month = month) OVER years AS pairs
        FROM
        (
            SELECT families.series_id AS series_id, families.family_rar AS family_rar, families.currency AS currency, belonged.month AS month, belonged.growth AS growth
            FROM (SELECT DISTINCT series_id, family_rar, currency FROM belonged WHERE month BETWEEN {from:Date} AND {to:Date} AND family_rar != '') AS families
            INNER JOIN belonged ON belonged.series_id = families.series_id AND belonged.currency = families.currency
        ) AS own
        LEFT JOIN
        (
            SELECT toString(family_rar) AS index_family, toString(currency) AS index_currency, month AS index_month, index_return
            FROM batch_family_month_return(batch = {batch:UInt64})
        ) AS indices ON index_family = family_rar AND index_currency = currency AND index_month = month
        WINDOW years AS (PARTITION BY series_id, family_rar, currency ORDER BY toRelativeMonthNum(month) RANGE BETWEEN 35 PRECEDING AND CURRENT ROW)
    ),
    against AS
    (
        SELECT
            belonged.series_id AS compared_series, belonged.month AS compared_month,
            arrayMap(p -> p.1, compared.pairs) AS own_returns,
            arrayMap(p -> p.2, compared.pairs) AS index_returns
        FROM (SELECT * FROM belonged WHERE month BETWEEN {from:Date} AND {to:Date}) AS belonged
        INNER JOIN compared
            ON compared.series_id = belonged.series_id AND compared.family_rar = belonged.family_rar
               AND compared.currency = belonged.currency AND compared.month = belonged.month
        WHERE length(compared.pairs) >= 24
    ),
    measured AS
    (
        SELECT
            series_id, month, assumeNotNull(quote_date) AS quoted, equity,
            arrayMap(s -> s.2 - 1, steps) AS returns,
            arrayMap(s -> s.2 - 1, arrayFilter(s -> toRelativeMonthNum(month) - toRelativeMonthNum(s.1) < 12, steps)) AS last_returns,
            length(returns) = 36 AS whole,
            length(last_returns) = 12 ? arrayReduce('stddevSampStable', last_returns) : NULL AS volatility_12,
            whole ? arrayReduce('stddevSampStable', returns) : NULL AS volatility_36,
            -- Folds the months into (level at the start, peak so far, drawdown).
            whole ? arrayFold((at, s) -> (at.1 * s.2,
                                          greatest(at.2, at.1 * s.3),
                                          least(at.3, s.5, at.1 * s.4 / at.2 - 1)),
                              steps, (1., 1., 0.)).3 : NULL AS max_drawdown
        FROM seen
        WHERE quote_date IS NOT NULL AND month BETWEEN {from:Date} AND {to:Date}
    ),
    currencies AS
    (
        SELECT series_id AS quoted_series, date AS quoted_on, toString(currency) AS quoted_currency
        FROM batch_market_day(batch = {batch:UInt64}, from = toStartOfMonth(toDate({from:Date})), to = {to:Date})
        WHERE date IN (SELECT quote_date FROM months WHERE quote_date IS NOT NULL)
        UNION ALL
        SELECT series_id, date, toString(currency)
        FROM batch_fi_quote(batch = {batch:UInt64}, series = [], all_series = true)
        WHERE date BETWEEN toStartOfMonth(toDate({from:Date})) AND {to:Date} AND date IN (SELECT quote_date FROM months WHERE quote_date IS NOT NULL)
    ),
    weighed AS
    (
        -- A decimal, because a sum of floats depends on the order of rows.
        SELECT measured.*, ifNull(cuota_clp(quoted_currency, equity, dolar.value), toDecimal128(0, 10)) AS held
        FROM measured
        LEFT JOIN currencies ON quoted_series = series_id AND quoted_on = quoted
        LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = month
    ),
    ranked AS
    (
        SELECT
            *,
            series_id IN (SELECT id FROM registry WHERE kind = 'fi_series')                  AS by_book,
            count() OVER (PARTITION BY month, by_book, whole)                                AS n,
            rank()  OVER (PARTITION BY month, by_book, whole ORDER BY volatility_36) - 1     AS calmer,
            count() OVER (PARTITION BY month, by_book, whole, volatility_36)                 AS as_calm,
            rank()  OVER (PARTITION BY month, by_book, whole ORDER BY max_drawdown DESC) - 1 AS shallower,
            count() OVER (PARTITION BY month, by_book, whole, max_drawdown)                  AS as_shallow,
            count()            OVER (PARTITION BY month, by_book)                            AS of_series,
            sumIf(held, whole) OVER (PARTITION BY month, by_book)                            AS ranked_equity,
            sum(held)          OVER (PARTITION BY month, by_book)                            AS all_equity,
            whole ? intDiv(100 * (2 * (calmer + shallower) + as_calm + as_shallow) + 2 * n, 4 * n) : NULL AS score
        FROM weighed
    )
SELECT
    {batch:UInt64}, series_id, month,
    volatility_12, volatility_36, volatility_12 * sqrt(12), volatility_36 * sqrt(12),
    max_drawdown,
    score, whole ? n : NULL, whole ? of_series : NULL,
    whole AND all_equity > 0 ? toFloat64(ranked_equity) / toFloat64(all_equity) : NULL,
    multiIf(score IS NULL, NULL, score < 34, 'low', score < 67, 'medium', 'high'),
    whole ? sqrt(arraySum(r -> r < 0 ? r * r : 0, returns) / 36) * sqrt(12) : NULL,
    whole ? arrayReduce('quantileExactInclusive(0.05)', returns) : NULL,
    empty(index_returns) ? NULL
        : arrayReduce('covarSampStable', own_returns, index_returns) / nullIf(arrayReduce('varSampStable', index_returns), 0),
    empty(index_returns) ? NULL
        : arrayReduce('stddevSampStable', arrayMap((own, index) -> own - index, own_returns, index_returns)) * sqrt(12),
    'risk_v1'
FROM ranked
LEFT JOIN against ON compared_series = series_id AND compared_month = month
