-- Of the series of mutual funds on some days: what was known by the end of another day, where
-- that differs from what the batch has, because a cartola row was corrected or added later
-- (docs/backtests.md, section 2; batch_later_statement). It has one row for each series and day of which a
-- row of the 61 months before was unknown, had another value, or was added to a history that was loaded later.
-- A window that begins or ends with such a row is computed again, from the values of then, by the rule of the stored ones.
--   days    days with data
--   orders  for each day, the day by whose end statements were known
--   later   given: the rows of backtest_later.sql, with its columns, are a table that is sent with the statement, later_given;
--           read: they are too many, so they are read again
--   statements  if later is read: stored or computed, as in backtest_later.sql. A view that is not named is not
--           planned, which would take long.
--   later_series   a table that is sent with the statement: series_id of the series with rows that were stated later
WITH
    signals AS (SELECT pair.1 AS day, pair.2 AS order_day FROM (SELECT arrayJoin(arrayZip({days:Array(Date)}, {orders:Array(Date)})) AS pair)),
    given AS
    (
        SELECT
            series_id, date, loaded_later,
            CAST(arrayZip(known_on, said, quotas, currencies, equities), 'Array(Tuple(known_on Date, said UInt64, quota String, currency String, equity String))') AS statements
        FROM later_given
    ),
    stored AS (SELECT * FROM batch_later_row(batch = {batch:UInt64})),
    computed AS (SELECT * FROM batch_later_statement(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06')),
    read AS
    (
        SELECT
            series_id, date, loaded_later,
            CAST(arrayMap(s -> (s.known_on, s.said, if(s.sound, ifNull(toString(s.quota), ''), ''), s.currency, ifNull(toString(s.equity), '')), rows.statements),
                 'Array(Tuple(known_on Date, said UInt64, quota String, currency String, equity String))') AS statements
        FROM {statements:Identifier} AS rows
    ),
    rows_then AS
    (
        SELECT
            series_id, day, order_day, date, loaded_later,
            arrayLast(s -> s.known_on <= order_day, statements) AS seen,
            seen.known_on = toDate(0) AS unknown,
            seen.said != statements[-1].said AS other
        FROM {later:Identifier}
        CROSS JOIN signals
        WHERE date <= day AND date > subtractMonths(day, 61) AND (other OR loaded_later)
    ),
    differing AS
    (
        SELECT
            series_id, day, order_day,
            groupArrayIf(date, unknown)                AS unknown_dates,
            groupArrayIf(date, other AND NOT unknown)  AS other_dates,
            groupArrayIf(date, loaded_later)           AS later_dates,
            groupArrayIf((toFloat64(toDecimal64OrZero(seen.quota, 6)), seen.currency, toDecimal64OrNull(seen.equity, 4)), other AND NOT unknown) AS other_values
        FROM rows_then
        GROUP BY series_id, day, order_day
    ),
    standing AS
    (
        SELECT stands_on, series_id, date, currency, price IS NOT NULL AS quoted, equity
        FROM
        (
            SELECT arrayJoin(arrayMap(n -> date + n, range(toUInt16(stands_until - date + 1)))) AS stands_on, *
            FROM batch_market_day(batch = {batch:UInt64}, from = arrayMin({days:Array(Date)}) - 7, to = arrayMax({days:Array(Date)}))
            WHERE series_id IN (SELECT series_id FROM later_series)
              AND (date IN {days:Array(Date)}
                   -- Nearly all other rows count on their own day only.
                   OR stands_until > date AND date IN (SELECT arrayJoin(arrayMap(n -> day - n, range(1, 8))) FROM signals))
        )
        WHERE stands_on IN {days:Array(Date)}
    ),
    windows AS
    (
        SELECT
            date AS windows_day, series_id, effective_end, month_effective_end,
            arrayMap(w -> (w.2, w.3, w.4), cuota_windows(date, cuota_closed_month_end(date))) AS targets, -- years, target_start, target_end
            arrayMap(day -> ifNull(day, toDate(0)),
                [start_1m, start_3m, start_6m, start_1y, start_ytd, start_3y_ann, start_5y_ann, start_last_closed_month]) AS starts,
            arrayPushBack(arrayResize([effective_end], 7, effective_end), ifNull(month_effective_end, toDate(0))) AS ends
        FROM batch_return_day(batch = {batch:UInt64}, from = arrayMin({days:Array(Date)}), to = arrayMax({days:Array(Date)}))
        WHERE date IN {days:Array(Date)} AND series_id IN (SELECT series_id FROM later_series)
    ),
    quotes AS
    (
        SELECT
            series_id,
            CAST((groupArray(date), groupArray((ifNull(toFloat64(quota), 0), if(currency IN ('PESOS', 'DOLAR'), toString(currency), '')))),
                 'Map(Date, Tuple(Float64, String))') AS quotes_now
        FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
        WHERE (series_id, date) IN
        (
            -- Few windows begin or end with a row that was stated later.
            SELECT windows.series_id, arrayJoin(arrayConcat(starts, ends))
            FROM windows
            INNER JOIN differing ON differing.series_id = windows.series_id AND differing.day = windows.windows_day
            WHERE hasAny(arrayConcat(unknown_dates, other_dates), arrayConcat(starts, ends))
        )
        GROUP BY series_id
    ),
    breaks AS
    (
        SELECT series_id, groupArray((date, kind)) AS list
        FROM discontinuity
        WHERE batch = {batch:UInt64} AND series_id IN (SELECT series_id FROM later_series)
        GROUP BY series_id
    ),
    dolar AS (SELECT date, value FROM batch_dolar(batch = {batch:UInt64})),
    known AS
    (
        WITH
            date -> if(has(other_dates, date), (other_values[indexOf(other_dates, date)].1, other_values[indexOf(other_dates, date)].2), quotes_now[date]) AS quote_of
        SELECT
            differing.series_id AS id, day, order_day, arrayConcat(unknown_dates, other_dates) AS changed,
            has(unknown_dates, standing.date) OR has(unknown_dates, effective_end) AS not_known_then,
            has(later_dates, standing.date)                                        AS later_row,
            arrayMap(day -> has(later_dates, day), starts)                         AS later_starts,
            -- The row that stands on the day, as it was known.
            indexOf(other_dates, standing.date)                                    AS place,
            place > 0                                                              AS row_differs,
            row_differs AND other_values[place].1 > 0                              AS quoted_then,
            other_values[place].2                                                  AS currency_then,
            toFloat64(cuota_clp(currency_then, other_values[place].3, dolar.value)) AS equity_then,
            -- The windows that are computed again. A quote that was unknown is missing.
            arrayMap((s, e) -> has(changed, s) OR has(changed, e), starts, ends)    AS touched,
            targets, list,
            arrayMap(day -> if(has(unknown_dates, day), toDate(0), day), starts)    AS starts_then,
            arrayMap(day -> if(has(unknown_dates, day), toDate(0), day), ends)      AS ends_then,
            arrayMap(quote_of, starts_then) AS start_quotes,
            arrayMap(quote_of, ends_then)   AS end_quotes
        FROM differing
        INNER JOIN standing ON standing.series_id = differing.series_id AND standing.stands_on = differing.day
        LEFT JOIN windows ON windows.series_id = differing.series_id AND windows.windows_day = differing.day
        LEFT JOIN quotes ON quotes.series_id = differing.series_id
        LEFT JOIN breaks ON breaks.series_id = differing.series_id
        LEFT JOIN dolar ON dolar.date = differing.day
    )
SELECT
    id AS series_id, day, order_day, changed, not_known_then, later_row, later_starts, row_differs, quoted_then,
    currency_then, ifNull(equity_then, nan) AS equity_clp_then, touched,
    arrayMap((w, s, start, e, end) ->
                 if(cuota_quote_reason(true, w.3, e, end.1, end.2, w.2, s, start.1, start.2,
                                       arrayMap(b -> b.2, arrayFilter(b -> b.1 > s AND b.1 <= e, list))) IS NULL,
                    ifNull(cuota_annual(end.1 / start.1, w.1), nan), nan),
             targets, starts_then, start_quotes, ends_then, end_quotes) AS returns
FROM known
