-- The rows of the tables for people about a series that are computed with the line of one day, each with its columns that
-- are: see docs/rules.md, "What a line touches". A row may come several times, with other columns.
--   date       the day of the line
--   columns    the columns of cartola_daily that change
--   line_days  rows of affected_days.sql, as a table
WITH
parts.line_columns,
    -- What the series states before and on the day, and the next day with a quote.
    (
        SELECT (
            anyIf(equity, date = line_day - 1),
            anyIf(toFloat64(units_outstanding + units_redeemed - units_contributed) * toFloat64(quota), date = line_day),
            anyIf(costs, date = line_day),
            anyIf(distribution_factor, date = line_day),
            minIf(date, date > line_day AND quota > 0))
        FROM batch_series_day(batch = {batch:UInt64}, series = [{series_id:UInt32}], all_series = false)
    ) AS stated,
    stated.5 AS quote_after, -- 1970-01-01 if there is none
    -- A day has a cost rate if the calendar day before has equity. Equity that bears no costs makes no difference.
    ifNull(stated.1 > 0 AND stated.2 > 0 AND (of_costs OR (of_quota OR of_units) AND stated.3 != 0), false) AS costs_move,

    -- The windows that begin or end with the quote of the line. A factor de ajuste breaks those that span it.
    returns AS
    (
        SELECT
            date,
            arrayFilter(
                (window, value, start, end) -> value IS NOT NULL
                    AND ifNull(of_quota AND (start = line_day OR end = line_day) OR of_adjustment AND start < line_day AND end >= line_day, false),
                ['1m', '3m', '6m', '1y', 'ytd', '3y_ann', '5y_ann', 'last_closed_month'],
                [return_1m, return_3m, return_6m, return_1y, return_ytd, return_3y_ann, return_5y_ann, return_last_closed_month],
                [start_1m, start_3m, start_6m, start_1y, start_ytd, start_3y_ann, start_5y_ann, start_last_closed_month],
                arrayPushBack(arrayWithConstant(7, toNullable(effective_end)), month_effective_end)) AS touched
        FROM batch_return_day(batch = {batch:UInt64}, from = {date:Date}, to = addMonths(toDate({date:Date}), 61))
        WHERE series_id = {series_id:UInt32} AND (of_quota OR of_adjustment)
    ),
    -- The return of a month is that of the first day of the market on or after its end (funds.monthly).
    (
        SELECT groupArray(cuota_closed_month_end(date)) FROM returns
        WHERE has(touched, 'last_closed_month')
          AND date IN (SELECT min(date) FROM parts.newest_builds(list: return_day_version) GROUP BY cuota_closed_month_end(date))
    ) AS closed_months,

    -- The last quote of a month ends it and begins the next one. Any quote of a month may be its peak or its trough.
    (
        SELECT (countIf(month = line_month AND quote_date = line_day) > 0, groupArrayIf(month, growth IS NOT NULL))
        FROM series_month WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32}
    ) AS of_months,
    of_months.1 AS ends_month,
    arrayFilter(m -> has(of_months.2, m),
        arrayConcat(of_quota AND ends_month ? [line_month, toLastDayOfMonth(line_month + 1)] : [], of_factor ? [line_month] : [])) AS growths,
    arrayConcat(growths, of_quota AND has(of_months.2, line_month) ? [line_month] : [])                              AS paths,
    months AS
    (
        SELECT
            held.month AS month, toRelativeMonthNum(held.month) AS number,
            arrayExists(m -> number - toRelativeMonthNum(m) BETWEEN 0 AND 11, growths) AS in_a_year,
            arrayExists(m -> number - toRelativeMonthNum(m) BETWEEN 0 AND 35, growths) AS in_three_years,
            arrayExists(m -> number - toRelativeMonthNum(m) BETWEEN 0 AND 35, paths)   AS falls,
            arrayConcat(
                has(growths, held.month) ? ['adjusted_return'] : [],
                has(paths, held.month) ? ['drawdown'] : [],
                held.month = line_month AND ends_month AND of_equity ? ['equity', 'equity_clp'] : [],
                has(closed_months, held.month) ? ['price_return', 'price_return_clp', 'price_return_real'] : [],
                has(closed_months, held.month) AND of_adjustment ? ['reason', 'reason_clp', 'reason_real'] : [],
                in_a_year AND risk.volatility_annualized_12m IS NOT NULL ? ['volatility_12m'] : [],
                in_three_years AND risk.volatility_annualized_36m IS NOT NULL ? ['volatility_36m', 'downside_deviation_36m', 'var_95_1m'] : [],
                in_three_years AND risk.beta_36m IS NOT NULL ? ['beta_36m'] : [],
                in_three_years AND risk.tracking_error_36m IS NOT NULL ? ['tracking_error_36m'] : [],
                falls AND risk.max_drawdown_36m IS NOT NULL ? ['max_drawdown_36m'] : [],
                (in_three_years OR falls) AND risk.risk_score IS NOT NULL ? ['risk_score', 'risk_level'] : [],
                held.month = line_month AND costs_move AND costs.tac_kind = 'computed' ? ['tac'] : []) AS moved
        FROM (SELECT month FROM series_month WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32} AND month >= line_month) AS held
        LEFT JOIN (SELECT * FROM risk_month WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32}) AS risk ON risk.month = held.month
        LEFT JOIN batch_tac_history(batch = {batch:UInt64}, series = [{series_id:UInt32}], all_series = false) AS costs ON costs.month = held.month
    ),
    present AS (SELECT series_id, price_date, risk_date, tac_kind, tac_date FROM screener WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32})
SELECT of_table, key, moved
FROM
(
    SELECT 'cartola_daily' AS of_table, formatRowNoNewline('JSONEachRow', series_id, date) AS key, {columns:Array(String)} AS moved
    FROM (SELECT {series_id:UInt32} AS series_id, line_day AS date)
    UNION ALL
    SELECT 'daily', formatRowNoNewline('JSONEachRow', series_id, date), moved FROM (SELECT {series_id:UInt32} AS series_id, date, moved FROM line_days)
    UNION ALL
    SELECT 'distributions', formatRowNoNewline('JSONEachRow', series_id, date, source),
           of_distribution ? ['distribution_factor', 'currency', 'quota', 'payment', 'accepted'] : ['quota', 'payment']
    FROM (SELECT {series_id:UInt32} AS series_id, line_day AS date, 'cartola' AS source WHERE of_distribution OR of_quota AND ifNull(stated.4 != 1, false))
    UNION ALL
    SELECT 'discontinuities', formatRowNoNewline('JSONEachRow', series_id, date, kind), ['evidence']
    FROM
    (
        SELECT series_id, date, toString(kind) AS kind FROM discontinuity
        WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32} AND kind = 'unit_change'
          AND date IN (line_day, quote_after)
          AND (of_quota OR of_equity OR of_units OR (of_distribution AND date = line_day))
        UNION DISTINCT
        SELECT {series_id:UInt32}, line_day, 'adjustment' WHERE of_adjustment
    )
    UNION ALL
    SELECT 'returns_daily', formatRowNoNewline('JSONEachRow', series_id, date),
           arrayConcat(arrayMap(w -> concat('return_', w), touched), of_adjustment ? arrayMap(w -> concat('reason_', w), touched) : [])
    FROM (SELECT {series_id:UInt32} AS series_id, date, touched FROM returns)
    UNION ALL
    SELECT 'reconciliation', formatRowNoNewline('JSONEachRow', series_id, date, years, basis), moved
    FROM
    (
        SELECT
            series_id, date, years, basis,
            arrayConcat(
                ifNull(price_return IS NOT NULL AND (of_quota AND (effective_start = line_day OR effective_end = line_day)
                                                     OR of_adjustment AND effective_start < line_day AND effective_end >= line_day), false)
                    ? ['price_return', 'reinvested_return', 'difference', 'reinvested_difference', 'cause', 'reason'] : [],
                ifNull(reinvested_return IS NOT NULL AND of_distribution AND effective_start < line_day AND effective_end >= line_day, false)
                    ? ['reinvested_return', 'reinvested_difference', 'cause', 'distributions'] : []) AS moved
        FROM batch_reconciliation(batch = {batch:UInt64}, series = [{series_id:UInt32}], all_series = false)
        WHERE of_quota OR of_factor
    )
    UNION ALL
    SELECT 'monthly', formatRowNoNewline('JSONEachRow', series_id, month), moved FROM (SELECT {series_id:UInt32} AS series_id, month, moved FROM months)
    UNION ALL
    SELECT 'costs_monthly', formatRowNoNewline('JSONEachRow', series_id, month, tac_kind), ['tac']
    FROM tac_month
    WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32} AND month = line_month AND tac_kind = 'computed' AND costs_move
    UNION ALL
    SELECT 'series', formatRowNoNewline('JSONEachRow', series_id), ['tac']
    FROM series
    WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32} AND tac_kind = 'computed' AND tac_date = line_month AND costs_move
    UNION ALL
    -- The row of the series at the cutoff.
    SELECT 'screener', formatRowNoNewline('JSONEachRow', series_id), ['tac']
    FROM present WHERE tac_kind = 'computed' AND tac_date = line_month AND costs_move
    UNION ALL
    SELECT 'screener', formatRowNoNewline('JSONEachRow', series_id),
           arrayIntersect(line_days.moved, ['quota', 'equity', 'equity_clp', 'shareholders', 'daily_return', 'month_return'])
    FROM present INNER JOIN line_days ON line_days.date = present.price_date
    UNION ALL
    SELECT 'screener', formatRowNoNewline('JSONEachRow', series_id),
           arrayIntersect(months.moved, ['volatility_12m', 'volatility_36m', 'max_drawdown_36m', 'risk_score', 'risk_level'])
    FROM present INNER JOIN months ON months.month = assumeNotNull(present.risk_date)
    UNION ALL
    SELECT 'screener', formatRowNoNewline('JSONEachRow', series_id),
           arrayConcat([concat('return_', window)], of_adjustment ? [concat('reason_', window)] : [])
    FROM
    (
        SELECT series_id, window FROM series_return
        WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32} AND series_id IN (SELECT series_id FROM present) AND value IS NOT NULL
          AND ifNull(of_quota AND (effective_start = line_day OR effective_end = line_day)
                     OR of_adjustment AND effective_start < line_day AND effective_end >= line_day, false)
    )
    UNION ALL
    -- The category of a fund is that of its series with most equity, and so may be its currency.
    SELECT 'funds', formatRowNoNewline('JSONEachRow', fund_id), ['category', 'currency']
    FROM series
    WHERE batch = {batch:UInt64} AND of_equity
      AND fund_id IN (SELECT fund_id FROM series WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32} AND last_date = line_day)
    GROUP BY fund_id
    HAVING uniqExact(category) > 1 OR uniqExact(currency) > 1
    UNION ALL
    SELECT 'freshness', formatRowNoNewline('JSONEachRow', dataset), ['files', 'rows', 'rejected_rows', 'first_date', 'last_date', 'published_at', 'due_on']
    FROM (SELECT 'cartola' AS dataset)
    UNION ALL
    -- The equity of a series counts on the days up to its next quote: up to the first complete one of them, and on those
    -- of the seven days after the line.
    SELECT 'calendar', formatRowNoNewline('JSONEachRow', date), ['prior_equity_clp', 'present_equity_clp']
    FROM market_completeness
    WHERE batch = {batch:UInt64} AND of_equity AND date > line_day AND (quote_after = toDate(0) OR date <= quote_after)
      AND date <= greatest(line_day + 7, ifNull((SELECT minOrNull(date) FROM market_completeness WHERE batch = {batch:UInt64} AND complete AND date > line_day), toDate('2149-06-06')))
)
WHERE notEmpty(moved)
SETTINGS join_use_nulls = 1
