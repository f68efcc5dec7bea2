-- By how much the equity of each manager changed from one day to another, and what flowed into its series meanwhile, in
-- full pesos (RULES 8). It has the managers with a series on either day. The equity is that of the ranking of each day.
--   date       the last day, which has data
--   start      the first day (manager_period_start.sql); the same as date if has_start is not set
--   has_start  there is a first day
-- change is null with change_reason, the first that applies: no_start_day; no_equity_now; no_equity_at_start;
-- unconverted_series (equity of one of the days that can't be converted to pesos); incomplete_start (over 2 % of the
-- equity is in funds without a row on the first day that existed then by the register, or of which it does not say since when).
--
-- flow is the sum over the series for which all flows are known (flow_series of flow_of_series, with flow_share of the
-- equity of both days together). It is null with flow_reason: no_start_day; shorter_than_a_month (one half of a business
-- day would weigh too much); incomplete_flows (known for less than 98 % of the equity). A series belongs to the manager of its
-- newest row in the period. Its flows are known if it has a row with a flow on each calendar day, from the first day on to
-- the last, or to one with which its equity is 0. If it began later, its first row must state as contributions what it
-- holds, to 1 %.
WITH
    toDate({date:Date}) AS day,
    toDate({start:Date}) AS opening,
    rates AS (SELECT date AS rate_date, value FROM batch_dolar(batch = {batch:UInt64}) WHERE date BETWEEN {start:Date} AND {date:Date}),
    totals AS
    (
        SELECT
            manager_rut,
            countIf(date = opening AND {has_start:Bool}) AS rows_then, countIf(date = day) AS rows_now,
            sumIf(equity_clp, date = opening AND {has_start:Bool}) AS equity_then, sumIf(equity_clp, date = day) AS equity_now,
            countIf(equity_clp IS NULL) AS unconverted
        FROM batch_manager_day(batch = {batch:UInt64}, from = {start:Date}, to = {date:Date})
        WHERE date IN (opening, day)
        GROUP BY manager_rut
    ),
    -- Each series that counts on the first or on the last day. fund_was says that a series of its fund counts on the first.
    held AS
    (
        SELECT *, max(was) OVER (PARTITION BY run) AS fund_was
        FROM
        (
            SELECT
                series_id, any(registered.run) AS run, max(NOT at_end) AS was, max(at_end) AS is_now,
                anyIf(manager_rut, NOT at_end) AS then_manager, anyIf(manager_rut, at_end) AS now_manager, anyIf(equity, NOT at_end) AS then_equity,
                sumIf(pesos, NOT at_end) AS then_pesos, sumIf(pesos, at_end) AS now_pesos
            FROM
            (
                SELECT series_id, at_end, manager_rut, equity, cuota_clp(currency, equity, rates.value) AS pesos
                FROM
                (
                    SELECT series_id, stands_on, false AS at_end, manager_rut, currency, equity
                    FROM batch_market_standing(batch = {batch:UInt64}, from = {start:Date}, to = {start:Date})
                    WHERE price IS NOT NULL AND {has_start:Bool}
                    UNION ALL
                    SELECT series_id, stands_on, true, manager_rut, currency, equity
                    FROM batch_market_standing(batch = {batch:UInt64}, from = {date:Date}, to = {date:Date})
                    WHERE price IS NOT NULL
                ) AS standing
                LEFT JOIN rates ON rates.rate_date = stands_on
            ) AS counted
            INNER JOIN (SELECT id, run FROM registry WHERE kind = 'series') AS registered ON registered.id = counted.series_id
            GROUP BY series_id
        )
    ),
    moved AS
    (
        SELECT
            series_id,
            argMaxIf(manager_rut, date, price IS NOT NULL)  AS last_manager,
            min(date) AS first_row, max(date) AS last_row, count() AS days,
            countIf(flow_clp IS NULL)                       AS unknown_days,
            sum(ifNull(flow_clp, 0))                        AS total,
            argMin((toFloat64(flow), toFloat64(equity)), date) AS at_first,
            argMax(tuple(toFloat64(equity)), date).1        AS last_equity
        FROM
        (
            SELECT series_id, date, price, manager_rut, equity, flow, cuota_clp(currency, flow, rates.value) AS flow_clp
            FROM batch_market_day(batch = {batch:UInt64}, from = toDate({start:Date}) + 1, to = {date:Date}) AS market
            LEFT JOIN rates ON rates.rate_date = market.date
        )
        GROUP BY series_id
    ),
    flows AS
    (
        SELECT
            multiIf(is_now, now_manager, last_manager != 0, last_manager, then_manager) AS of_manager,
            ifNull(then_pesos, 0) + ifNull(now_pesos, 0) AS weight,
            ifNull(multiIf(days = 0, then_equity = 0,
                unknown_days = 0 AND (last_row = day OR last_equity = 0)
                    AND if(was, days = last_row - opening, days = last_row - first_row + 1 AND abs(at_first.1 - at_first.2) <= 0.01 * at_first.2)), false) AS known,
            total,
            -- equity of a fund that has no row on the first day, though the register does not say that it began later
            is_now AND NOT fund_was AND (began.started IS NULL OR began.started <= opening) ? ifNull(now_pesos, 0) : 0 AS without_start
        FROM held
        FULL JOIN moved ON moved.series_id = held.series_id
        LEFT JOIN (SELECT run, started FROM fund WHERE batch = {batch:UInt64}) AS began ON began.run = cuota_rol(held.run)
    ),
    summed AS
    (
        SELECT
            of_manager, count() AS of_series, countIf(known) AS known_series, sumIf(total, known) AS total,
            toFloat64(sumIf(weight, known)) / nullIf(toFloat64(sum(weight)), 0) AS share,
            sum(without_start) AS without_start
        FROM flows
        GROUP BY of_manager
    )
SELECT
    named.manager_id AS manager_id, named.name AS name,
    rows_now = 0 ? NULL : toFloat64(equity_now) AS equity,
    rows_then = 0 ? NULL : toFloat64(equity_then) AS start_equity,
    multiIf(NOT {has_start:Bool}, 'no_start_day', rows_now = 0, 'no_equity_now', rows_then = 0, 'no_equity_at_start', unconverted > 0, 'unconverted_series',
            50 * summed.without_start > equity_now, 'incomplete_start', NULL) AS change_reason,
    change_reason IS NULL ? toFloat64(equity_now - equity_then) : NULL AS change,
    change / nullIf(toFloat64(equity_then), 0) AS relative,
    multiIf(NOT {has_start:Bool}, 'no_start_day', day - opening < 28, 'shorter_than_a_month', ifNull(share, 1) < 0.98 OR known_series = 0, 'incomplete_flows', NULL) AS flow_reason,
    flow_reason IS NULL ? toFloat64(summed.total) : NULL AS flow,
    summed.known_series AS flow_series, summed.of_series AS flow_of_series, {has_start:Bool} ? share : NULL AS flow_share
FROM totals
INNER JOIN (SELECT manager_id, name, rut FROM manager WHERE batch = {batch:UInt64}) AS named ON named.rut = cuota_rol(totals.manager_rut)
LEFT JOIN summed ON summed.of_manager = totals.manager_rut
ORDER BY equity DESC NULLS LAST, name, manager_id
SETTINGS join_use_nulls = 0
