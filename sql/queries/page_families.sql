-- What flowed into each family on a day and in the month before it, and what its series cost
-- (RULES 7).
-- It counts all series that are quoted on the day and have a family then, even if they have
-- closed since. Amounts are in millions of pesos; a flow counts at the dólar of its own day.
-- For each sum of flows it counts the series of which all flows are known; the sum has only
-- these. A month counts from the quote of one month earlier, as in summary_flows. Cost rates
-- of different kinds do not compare, so a family has those of one kind: the one with most
-- equity in pesos, then with more series.
--   batch     number of the batch
--   date      a day with data
--   family    a family, whatever case and accents; empty: every family
--   known_by  of read_costs: the date up to which cost rates count
--   market                given: builds and dólares are the arguments below; read: views look them up, which takes long to plan.
--                         A view that is not named is not planned.
--   days, builds, dolars  the days since one month and a week before, the build of each, and its dólar as text, empty: none (days_of_batch.sql)
--   costs                 cost_rate: a table that is sent with the statement, with the cost rate in force of each series that has
--                         one (series_id, tac, tac_kind; cost_history.sql); read_costs: a view looks them up
WITH
    given AS
    (
        SELECT
            date, series_id, family_rar, price, month_date, currency, equity, flow,
            toDecimal64OrNull(transform(date, {days:Array(Date)}, {dolars:Array(String)}, ''), 6) AS dolar
        FROM market_day
        WHERE date BETWEEN subtractMonths(toDate({date:Date}), 1) - 7 AND {date:Date}
          AND (date, build) IN arrayZip({days:Array(Date)}, {builds:Array(UInt64)})
    ),
    read AS
    (
        SELECT days.date AS date, series_id, family_rar, price, month_date, currency, equity, flow, toNullable(rates.value) AS dolar
        FROM batch_market_day(batch = {batch:UInt64}, from = subtractMonths(toDate({date:Date}), 1) - 7, to = {date:Date}) AS days
        LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS rates ON dolar_date = days.date
    ),
    read_costs AS (SELECT series_id, tac, toString(tac_kind) AS tac_kind FROM tac_as_of(batch = {batch:UInt64}, as_of = {known_by:Date}))
SELECT
    family,
    sum(kinds.series)                              AS series,
    sum(kinds.daily_known)                         AS daily_known,
    toFloat64(sum(kinds.daily_flow)) / 1000000     AS daily_flow,
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
            any(quoted_flow)                                               AS day_flow,
            any(since) IS NOT NULL AND countIf(flow_clp IS NULL) = 0       AS whole_month,
            sum(ifNull(cuota_clp(currency, flow, dolar) AS flow_clp, 0))   AS month_flow
        FROM (SELECT date, series_id, currency, flow, dolar FROM {market:Identifier}) AS market
        INNER JOIN
        (
            SELECT
                series_id AS quoted_series, family_rar AS quoted_family, month_date AS since,
                cuota_clp(currency, equity, dolar) AS quoted_equity, cuota_clp(currency, flow, dolar) AS quoted_flow
            FROM {market:Identifier}
            WHERE date = {date:Date} AND price IS NOT NULL AND family_rar IS NOT NULL AND ({family:String} = '' OR cuota_fold(family_rar) = cuota_fold({family:String}))
        ) AS of_day ON quoted_series = series_id
        WHERE date > ifNull(since, {date:Date} - 1)
        GROUP BY series_id
    ) AS quoted
    LEFT JOIN {costs:Identifier} AS costs ON costs.series_id = quoted.series_id
    GROUP BY family, kind
) AS kinds
GROUP BY family
ORDER BY family
SETTINGS join_use_nulls = 0
