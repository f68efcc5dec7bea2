-- The quotes with which the return windows of each series begin and end, at any date and as
-- batch N sees them, and the first reason why they give no price return (RULES 1): one row
-- for each series and window. It covers the series in the list, or every series if all_series
-- is set and the list is empty. The returns of batch_price_return, batch_valued_return and
-- batch_total_return come from it. Those that are stored for each day do not: 45_return_day
-- computes them from the quotes that stand on the day.
--   SELECT * FROM window_endpoints(batch = 7, as_of = '2024-02-29', series = [4047362302], all_series = false)
--
-- The dates of cuota_windows are stated here again, in newest and picked, so that the quotes of all
-- windows are found in one pass. Change both together.
--
-- For each target date it picks the newest quote on or before it, however old. If that
-- quote is too old, the window is stale. If it is bad, the window is invalid. No other
-- quote is picked instead. The date 1970-01-01 means no quote, and an empty currency any
-- except PESOS and DOLAR. breaks lists the kinds of the breaks after the start quote and up to the
-- end quote, and unit_changes the days of those that are changes of unit. years is the number of
-- years over which the window is annualised, and 0 if it is not.
CREATE OR REPLACE VIEW window_endpoints AS
WITH
    toDate({as_of:Date}) AS as_of,
    cuota_closed_month_end(as_of) AS closed_month_end,
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
                cuota_packed_quote(date, quota, currency) AS said,
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
        SELECT
            series_id,
            w.1.1 AS window, w.1.2 AS years, w.1.3 AS target_start, w.1.4 AS target_end,
            cuota_unpacked_quote(w.2) AS start_quote, cuota_unpacked_quote(w.3) AS end_quote
        FROM picked
        ARRAY JOIN arrayZip(
            cuota_windows(as_of, closed_month_end),
            [q_1m, q_3m, q_6m, q_1y, q_ytd, q_3y, q_5y, q_month_start],
            [q_end, q_end, q_end, q_end, q_end, q_end, q_end, q_month_end]) AS w
    ),
    picks AS
    (
        SELECT
            series_id, window, years, target_start, target_end,
            start_quote.1 AS start_date, start_quote.2 AS start_quota, start_quote.3 AS start_currency,
            end_quote.1   AS end_date,   end_quote.2   AS end_quota,   end_quote.3   AS end_currency
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
    arrayMap(b -> b.1, arrayFilter(b -> b.1 > start_date AND b.1 <= end_date AND b.2 = 'unit_change', list)) AS unit_changes,
    cuota_quote_reason(true, target_end, end_date, end_quota, end_currency,
                       target_start, start_date, start_quota, start_currency, breaks) AS reason
FROM picks
LEFT JOIN breaks USING (series_id)
SETTINGS join_use_nulls = 0
