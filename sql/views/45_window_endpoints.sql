-- The quotes with which the return windows of each series begin and end, at any date and as
-- batch N sees them, and the first reason why they give no price return (RULES 1): one row
-- for each series and window. Every return is computed from this view. It covers the series
-- in the list, or every series if all_series is set and the list is empty.
--   SELECT * FROM window_endpoints(batch = 7, as_of = '2024-02-29', series = [4047362302], all_series = false)
--
-- For each target date it picks the newest quote on or before it, however old. If that
-- quote is too old, the window is stale. If it is bad, the window is invalid. No other
-- quote is picked instead. The date 1970-01-01 means no quote, and an empty currency any
-- except PESOS and DOLAR. years is the number of years over which the window is annualised,
-- and 0 if it is not.
--
-- A quote is packed into one number, of which the greatest is the newest. The upper part
-- has the day times eight, plus 4 if there is a value, plus 1 for pesos or 2 for dollars.
-- The lower 64 bits have the value in millionths. The maximum of numbers is found many
-- times faster than the argMax of tuples.
CREATE OR REPLACE VIEW window_endpoints AS
WITH
    toDate({as_of:Date}) AS as_of,
    if(as_of = toLastDayOfMonth(as_of), as_of, toLastDayOfMonth(subtractMonths(as_of, 1))) AS closed_month_end,
    newest AS
    (
        -- The newest quote of each series between two neighbouring target dates. All other
        -- quotes can't be picked.
        SELECT series_id, max(day) AS date, max(said) AS quote
        FROM
        (
            SELECT
                series_id,
                date AS day,
                bitShiftLeft(toUInt128(toUInt32(date) * 8 + 4 * isNotNull(quota) + (currency = 'PESOS') + 2 * (currency = 'DOLAR')), 64)
                    + reinterpretAsUInt64(assumeNotNull(quota)) AS said,
                (date <= subtractMonths(as_of, 1)) + (date <= subtractMonths(as_of, 3)) + (date <= subtractMonths(as_of, 6))
                    + (date <= subtractMonths(as_of, 12)) + (date <= subtractMonths(as_of, 36)) + (date <= subtractMonths(as_of, 60))
                    + (date <= toStartOfYear(as_of) - 1)
                    + (date <= closed_month_end) + (date <= toLastDayOfMonth(subtractMonths(closed_month_end, 1))) AS place
            FROM
            (
                SELECT series_id, date, quota, currency FROM batch_series_day(batch = {batch:UInt64}, series = {series:Array(UInt32)}, all_series = {all_series:Bool})
                UNION ALL
                SELECT series_id, date, quota, currency FROM batch_fi_quote(batch = {batch:UInt64}, series = [], all_series = true) WHERE {all_series:Bool}
            )
            WHERE date <= as_of
        )
        GROUP BY series_id, place
    ),
    picked AS
    (
        SELECT
            series_id,
            maxIf(quote, date <= as_of)                       AS q_end,
            maxIf(quote, date <= subtractMonths(as_of, 1))    AS q_1m,
            maxIf(quote, date <= subtractMonths(as_of, 3))    AS q_3m,
            maxIf(quote, date <= subtractMonths(as_of, 6))    AS q_6m,
            maxIf(quote, date <= subtractMonths(as_of, 12))   AS q_1y,
            maxIf(quote, date <= toStartOfYear(as_of) - 1)    AS q_ytd,
            maxIf(quote, date <= subtractMonths(as_of, 36))   AS q_3y,
            maxIf(quote, date <= subtractMonths(as_of, 60))   AS q_5y,
            maxIf(quote, date <= closed_month_end)            AS q_month_end,
            maxIf(quote, date <= toLastDayOfMonth(subtractMonths(closed_month_end, 1))) AS q_month_start
        FROM
        (
            SELECT series_id, date, quote FROM newest
            UNION ALL -- a series that is asked for has its windows even without any quote, and so do all of investment funds
            SELECT arrayJoin({series:Array(UInt32)}), toDate(0), toUInt128(0)
            UNION ALL
            SELECT id, toDate(0), toUInt128(0) FROM registry WHERE kind = 'fi_series' AND batch <= {batch:UInt64} AND {all_series:Bool}
        )
        GROUP BY series_id
    ),
    windows AS
    (
        SELECT series_id, w.1 AS window, w.2 AS years, w.3 AS target_start, w.4 AS target_end, w.5 AS start_quote, w.6 AS end_quote
        FROM picked
        ARRAY JOIN
            [
                ('1m',     0, subtractMonths(as_of, 1),  as_of, q_1m,  q_end),
                ('3m',     0, subtractMonths(as_of, 3),  as_of, q_3m,  q_end),
                ('6m',     0, subtractMonths(as_of, 6),  as_of, q_6m,  q_end),
                ('1y',     0, subtractMonths(as_of, 12), as_of, q_1y,  q_end),
                ('ytd',    0, toStartOfYear(as_of) - 1,  as_of, q_ytd, q_end),
                ('3y_ann', 3, subtractMonths(as_of, 36), as_of, q_3y,  q_end),
                ('5y_ann', 5, subtractMonths(as_of, 60), as_of, q_5y,  q_end),
                ('last_closed_month', 0, toLastDayOfMonth(subtractMonths(closed_month_end, 1)), closed_month_end,
                    q_month_start, q_month_end)
            ] AS w
    ),
    picks AS
    (
        SELECT
            series_id, window, years, target_start, target_end,
            toUInt32(bitShiftRight(start_quote, 64)) AS start_head,
            toUInt32(bitShiftRight(end_quote, 64))   AS end_head,
            toDate(intDiv(start_head, 8))            AS start_date,
            toDate(intDiv(end_head, 8))              AS end_date,
            if(bitAnd(start_head, 4) > 0, reinterpretAsInt64(toUInt64(start_quote)) / 1000000, NULL) AS start_quota,
            if(bitAnd(end_head, 4) > 0, reinterpretAsInt64(toUInt64(end_quote)) / 1000000, NULL)     AS end_quota,
            ['', 'PESOS', 'DOLAR'][bitAnd(start_head, 3) + 1] AS start_currency,
            ['', 'PESOS', 'DOLAR'][bitAnd(end_head, 3) + 1]   AS end_currency
        FROM windows
    ),
    breaks AS
    (
        SELECT series_id, groupArray((date, kind)) AS list
        FROM discontinuity
        WHERE batch = {batch:UInt64}
          AND ({all_series:Bool} OR series_id IN {series:Array(UInt32)})
        GROUP BY series_id
    )
SELECT
    series_id, window, years, target_start, target_end, start_date, start_quota, start_currency, end_date, end_quota, end_currency,
    arrayMap(b -> b.2, arrayFilter(b -> b.1 > start_date AND b.1 <= end_date, list)) AS breaks,
    cuota_quote_reason(true, target_end, end_date, end_quota, end_currency,
                       target_start, start_date, start_quota, start_currency, breaks) AS reason
FROM picks
LEFT JOIN breaks USING (series_id)
SETTINGS join_use_nulls = 0
