-- What flowed into each family on the newest business day and in the month before a day, and what
-- its series cost (RULES 7).
-- It counts all series that are quoted on the day and have a family then, even if they have
-- closed since. Amounts are in millions of pesos. The flow of a business day (RULES 8) is known
-- from rows up to the day, and counts at the dólar of the business day; in a month a flow counts at
-- the dólar of its own day. For each sum of flows it counts the series of which all flows are known; the sum has only
-- these. daily_from and daily_to are the earliest and the latest of their business days, which differ where the currencies of the
-- series have different ones; null if there is none. A month counts from the quote of one month earlier, as in flow_day. Cost rates
-- of different kinds do not compare, so a family has those of one kind: the one with most
-- equity in pesos, then with more series.
--   date      a day with data
--   family    a family, whatever case and accents; empty: every family
--   days, builds, dolars  the days since one month and a week before, the build of each, and its dólar as text, empty: none (days_of_batch.sql)
-- The table cost_rate is sent with the statement. It has the cost rate in force of each series that has one (series_id, tac,
-- tac_kind; cost_history.sql).
WITH
    market AS
    (
        SELECT
            date, series_id, family_rar, price, month_date, currency, equity, flow,
            toDecimal64OrNull(transform(date, {days:Array(Date)}, {dolars:Array(String)}, ''), 6) AS dolar
        FROM market_day
        WHERE date BETWEEN subtractMonths(toDate({date:Date}), 1) - 7 AND {date:Date}
          AND (date, build) IN arrayZip({days:Array(Date)}, {builds:Array(UInt64)})
    ),
    directions AS
    (
        SELECT date, opening, closing
        FROM flow_day
        WHERE date BETWEEN toDate({date:Date}) - 7 AND {date:Date} AND (date, build) IN arrayZip({days:Array(Date)}, {builds:Array(UInt64)})
    ),
    business_days AS
    (
        -- The newest business day of each currency, and its last day; 1970-01-01 if there is none.
        SELECT
            arrayJoin(['PESOS', 'DOLAR']) AS business_currency,
            maxIf(date, has(opening, business_currency)) AS begun,
            maxIf(date, has(closing, business_currency)) AS closed,
            begun != toDate(0) AND closed >= begun ? closed : toDate(0) AS until
        FROM directions
        GROUP BY business_currency
    )
SELECT
    family,
    sum(kinds.series)                              AS series,
    sum(kinds.daily_known)                         AS daily_known,
    toFloat64(sum(kinds.daily_flow)) / 1000000     AS daily_flow,
    min(kinds.daily_from)                          AS daily_from,
    max(kinds.daily_to)                            AS daily_to,
    sum(kinds.monthly_known)                       AS monthly_known,
    toFloat64(sum(kinds.monthly_flow)) / 1000000   AS monthly_flow,
    (argMax((kind, rated, mean, median), (kind != '', rated_equity, rated)) AS leading).1 AS tac_kind,
    leading.2 AS tac_series, leading.3 AS tac_mean, leading.4 AS tac_median,
    toFloat64(max(rated_equity)) / toFloat64(nullIf(sum(kinds.equity), 0)) AS tac_share
FROM
(
    SELECT
        family, ifNull(costs.tac_kind, '')              AS kind,
        count()                                         AS series,
        sum(ifNull(equity_clp, 0))                      AS equity,
        countIf(day_flow IS NOT NULL)                   AS daily_known,
        sum(ifNull(day_flow, 0))                        AS daily_flow,
        min(business_day)                               AS daily_from,
        max(business_day)                               AS daily_to,
        countIf(whole_month)                            AS monthly_known,
        sumIf(month_flow, whole_month)                  AS monthly_flow,
        kind = '' ? 0 : series                          AS rated,
        kind = '' ? toDecimal128(0, 10) : equity        AS rated_equity,
        -- Sums of decimals do not depend on the order of rows.
        toFloat64(sum(ifNull(equity_clp, 0) * toDecimal128(costs.tac, 12))) / toFloat64(nullIf(rated_equity, 0)) AS mean,
        kind = '' ? NULL : quantileExactInclusive(0.5)(costs.tac)                                               AS median
    FROM
    (
        SELECT
            series_id,
            any(quoted_family)                                             AS family,
            any(quoted_equity)                                             AS equity_clp,
            nullIf(any(begun), toDate(0))                                  AS business_day,
            any(until) != toDate(0)
                AND countIf(flow IS NOT NULL AND currency = quoted_currency AND date BETWEEN begun AND until) = any(until - begun) + 1
                ? cuota_clp(any(quoted_currency), sumIf(toDecimal128(ifNull(flow, 0), 10), date BETWEEN begun AND until), anyIf(dolar, date = begun))
                : NULL                                                     AS day_flow,
            any(since) IS NOT NULL AND countIf(date > since AND flow_clp IS NULL) = 0         AS whole_month,
            sumIf(ifNull(cuota_clp(currency, flow, dolar) AS flow_clp, 0), date > since)      AS month_flow
        FROM (SELECT date, series_id, currency, flow, dolar FROM market) AS moved
        INNER JOIN
        (
            SELECT
                series_id AS quoted_series, family_rar AS quoted_family, month_date AS since,
                toString(currency) AS quoted_currency, cuota_clp(currency, equity, dolar) AS quoted_equity
            FROM market
            WHERE date = {date:Date} AND price IS NOT NULL AND family_rar IS NOT NULL AND ({family:String} = '' OR cuota_fold(family_rar) = cuota_fold({family:String}))
        ) AS of_day ON quoted_series = series_id
        LEFT JOIN business_days ON business_currency = quoted_currency
        WHERE date > least(ifNull(since, {date:Date}), toDate({date:Date}) - 8)
        GROUP BY series_id
    ) AS quoted
    LEFT JOIN cost_rate AS costs ON costs.series_id = quoted.series_id
    GROUP BY family, kind
) AS kinds
GROUP BY family
ORDER BY family
