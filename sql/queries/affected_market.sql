-- The rows of the tables for people about families, managers and other series that are computed with the line of one day,
-- each with its columns that are: see docs/rules.md, "What a line touches". A row may come several times, with other
-- columns.
--   date            the day of the line
--   columns         the columns of cartola_daily that change
--   line_days       rows of affected_days.sql, as a table
--   line_standing   rows of affected_standing.sql, as a table
--   moved_months    the families and months in which a step of the index moves (affected_index.sql), as a table
WITH
parts.line_columns,
    -- The other series of the family on days on which the line is in the change of its series. Of peers that are judged by
    -- their median, one value may take any other: then the median is a neighbour of it, and the distance from it moves by
    -- at most the way there.
    judged AS
    (
        SELECT on_date, monthly,
               arraySort(groupArray((change, id)))  AS believed_peers,
               arrayMap(p -> p.1, believed_peers)   AS peers
        FROM
        (
            SELECT series_id AS id, market.date AS on_date, family, in_currency, kind = 'monthly' AS monthly,
                   monthly ? monthly_change / 100 : daily_change / 100 AS change,
                   monthly ? monthly_outlier : daily_outlier           AS outlier
            FROM batch_market_day(batch = {batch:UInt64}, from = {date:Date}, to = addMonths(toDate({date:Date}), 1) + 14) AS market
            INNER JOIN
            (
                SELECT date, family, in_currency, arrayJoin(arrayConcat(daily_moves ? ['daily'] : [], monthly_moves ? ['monthly'] : [])) AS kind
                FROM line_days WHERE family != ''
            ) AS moving ON moving.date = market.date AND moving.family = toString(ifNull(market.family_rar, '')) AND moving.in_currency = toString(market.currency)
        )
        WHERE outlier != 'cap' AND change IS NOT NULL
        GROUP BY on_date, family, in_currency, monthly
        HAVING length(peers) >= 9
    ),
    doubted AS
    (
        SELECT
            on_date, monthly, peer.2 AS id, assumeNotNull(peer.1) AS own,
            arrayMap(c -> assumeNotNull(c), peers)                                         AS sorted,
            length(sorted)                                                                 AS n,
            arrayReduce('quantileExactInclusive(0.5)', sorted)                             AS median,
            greatest(median - sorted[greatest(1, intDiv(n + 1, 2) - 1)], sorted[least(n, intDiv(n, 2) + 2)] - median) AS way,
            arraySort(arrayMap(c -> abs(c - median), sorted))                              AS distances,
            monthly ? 0.02 : 0.005                                                         AS least_distance,
            abs(own - median)                                                              AS distance,
            greatest(0, distances[greatest(1, intDiv(n + 1, 2) - 1)] - way)                AS least_mad,
            distances[least(n, intDiv(n, 2) + 2)] + way                                    AS most_mad,
            distance + way > least_distance AND (least_mad = 0 OR 0.6745 * (distance + way) / least_mad > 8) AS may_be,
            distance - way > least_distance AND most_mad > 0 AND 0.6745 * (distance - way) / most_mad > 8    AS must_be
        FROM judged
        ARRAY JOIN believed_peers AS peer
    ),
    managers AS (parts.managers_with_rut),
    (SELECT max(manager_rut) FROM line_standing) AS line_manager,
    month_days AS
    (
        -- As in funds.manager_monthly.
        SELECT toLastDayOfMonth(date) AS month, if(max(complete), maxIf(date, complete), max(date)) AS equity_date
        FROM market_completeness
        WHERE batch = {batch:UInt64} AND has_data
          AND date <= (SELECT max(date) FROM market_completeness WHERE batch = {batch:UInt64} AND complete)
        GROUP BY month
    )
SELECT of_table, key, moved
FROM
(
    SELECT 'daily' AS of_table, formatRowNoNewline('JSONEachRow', series_id, date) AS key, [monthly ? 'month_outlier' : 'outlier'] AS moved
    FROM (SELECT id AS series_id, on_date AS date, monthly FROM doubted WHERE may_be AND NOT must_be)
    UNION ALL
    SELECT 'family_daily', formatRowNoNewline('JSONEachRow', family, currency, date), moved
    FROM
    (
        SELECT held.family_rar AS family, held.currency AS currency, held.date AS date,
               arrayConcat(
                   -- Which series count depends on their changes, and not on the weights of these.
                   (moving.daily_moves OR moving.daily_weighs) AND held.daily_return IS NOT NULL AND held.previous_date = moving.previous ? ['daily_return'] : [],
                   moving.daily_moves AND held.daily_return IS NOT NULL AND held.previous_date = moving.previous ? ['eligible_series', 'eligible_share'] : [],
                   (moving.monthly_moves OR moving.monthly_weighs) AND held.monthly_return IS NOT NULL ? ['month_return'] : [],
                   moving.monthly_moves AND held.monthly_return IS NOT NULL ? ['month_series', 'month_share'] : []) AS moved
        FROM batch_family_day(batch = {batch:UInt64}, from = {date:Date}, to = addMonths(toDate({date:Date}), 1) + 14) AS held
        INNER JOIN line_days AS moving ON moving.family = held.family_rar AND moving.in_currency = held.currency AND moving.date = held.date
    )
    UNION ALL
    SELECT 'family_daily', formatRowNoNewline('JSONEachRow', family, currency, date), ['equity', 'equity_clp', 'eligible_share', 'month_share']
    FROM (SELECT family, in_currency AS currency, date FROM line_standing WHERE of_equity AND family != '' AND in_currency IN ('PESOS', 'DOLAR'))
    UNION ALL
    SELECT 'family_monthly', formatRowNoNewline('JSONEachRow', family, currency, month), ['index_return']
    FROM
    (
        SELECT family_rar AS family, currency, month FROM batch_family_month_return(batch = {batch:UInt64})
        WHERE (family_rar, currency, month) IN (SELECT family, in_currency, month FROM moved_months)
    )
    UNION ALL
    -- Beta and tracking error of the series of the family. The last quote of a month may be before the line.
    SELECT 'monthly', formatRowNoNewline('JSONEachRow', series_id, month), ['beta_36m', 'tracking_error_36m']
    FROM
    (
        SELECT held.series_id AS series_id, held.month AS month
        FROM (SELECT series_id, month FROM risk_month WHERE batch = {batch:UInt64} AND month >= line_month AND tracking_error_36m IS NOT NULL) AS held
        INNER JOIN (SELECT series_id, month, quote_date FROM series_month WHERE batch = {batch:UInt64} AND month >= line_month) AS ends
            ON ends.series_id = held.series_id AND ends.month = held.month
        INNER JOIN
        (
            SELECT series_id, date, toString(ifNull(family_rar, '')) AS family, toString(currency) AS in_currency
            FROM batch_market_day(batch = {batch:UInt64}, from = toStartOfMonth(toDate({date:Date})), to = addMonths(toDate({date:Date}), 38))
            WHERE family_rar IN (SELECT family FROM moved_months)
        ) AS members ON members.series_id = held.series_id AND members.date = ends.quote_date
        INNER JOIN moved_months AS moving ON moving.family = members.family AND moving.in_currency = members.in_currency
        WHERE toRelativeMonthNum(held.month) - toRelativeMonthNum(moving.month) BETWEEN 0 AND 35
    )
    UNION ALL
    -- The share of the equity that the ranked series of a month hold.
    SELECT 'monthly', formatRowNoNewline('JSONEachRow', series_id, month), ['risk_score_share']
    FROM risk_month
    WHERE batch = {batch:UInt64} AND month = line_month AND of_equity AND risk_score_share IS NOT NULL
      AND (SELECT count() FROM series_month WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32} AND month = line_month AND quote_date = line_day) > 0
      AND series_id NOT IN (SELECT id FROM registry WHERE kind = 'fi_series')
    UNION ALL
    SELECT 'manager_daily', formatRowNoNewline('JSONEachRow', manager_id, currency, date),
           arrayConcat(of_equity ? ['equity', 'equity_clp'] : [], of_shareholders ? ['shareholders'] : [])
    FROM
    (
        SELECT managers.manager_id AS manager_id, standing.in_currency AS currency, standing.date AS date
        FROM line_standing AS standing INNER JOIN managers ON managers.manager_rut = standing.manager_rut
    )
    UNION ALL
    SELECT 'manager_monthly', formatRowNoNewline('JSONEachRow', manager_id, month),
           arrayConcat(of_equity AND holds ? ['share'] : [],
                       of_equity AND is_own AND holds ? ['equity_clp'] : [],
                       of_shareholders AND is_own AND holds ? ['shareholders'] : [],
                       flows ? ['flow_clp'] : [])
    FROM
    (
        -- The share of every manager is one of the equity of all.
        SELECT managers.manager_id AS manager_id, toLastDayOfMonth(held.date) AS month, max(managers.manager_rut = line_manager) AS is_own, true AS holds, false AS flows
        FROM batch_manager_day(batch = {batch:UInt64}, from = {date:Date}, to = toDate({date:Date}) + 7) AS held
        INNER JOIN managers ON managers.manager_rut = held.manager_rut
        WHERE held.date IN (SELECT date FROM line_standing) AND held.date IN (SELECT equity_date FROM month_days)
        GROUP BY managers.manager_id, month
        UNION ALL
        SELECT manager_id, line_month, true, false, true
        FROM managers
        WHERE manager_rut = line_manager AND (SELECT max(flows) FROM line_days)
          AND line_month IN (SELECT month FROM month_days) AND line_day <= (SELECT max(equity_date) FROM month_days)
    )
)
WHERE notEmpty(moved)
SETTINGS join_use_nulls = 0
