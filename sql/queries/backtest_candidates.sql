-- The series of mutual funds with a row that stands on each of some days, alive or closed: what
-- market_as_of.sql has of them for one day, without what catalogues state. It has one
-- row for each day. Its lines are one text of the format RowBinary, which is read many times
-- faster than columns: series_id; day of the row; 0 if the row is void; currency; equity in pesos at the dólar of
-- that day, or of at most 7 days before; the returns by windows; and the days of the
-- quotes with which the windows begin. What is not known is NaN or the day 0.
--   batch  number of the batch
--   days   days with data
WITH
    standing AS
    (
        SELECT
            stands_on, series_id, rows.date AS date, currency, price IS NOT NULL AS quoted,
            toFloat64(cuota_clp(currency, equity, dolar.value)) AS equity_clp
        FROM
        (
            SELECT arrayJoin(arrayMap(n -> date + n, range(toUInt16(stands_until - date + 1)))) AS stands_on, *
            FROM batch_market_day(batch = {batch:UInt64}, from = arrayMin({days:Array(Date)}) - 7, to = arrayMax({days:Array(Date)}))
            WHERE date IN {days:Array(Date)}
               -- Nearly all other rows count on their own day only.
               OR stands_until > date AND date IN (SELECT arrayJoin(arrayMap(n -> day - n, range(1, 8))) FROM (SELECT arrayJoin({days:Array(Date)}) AS day))
        ) AS rows
        LEFT JOIN batch_dolar(batch = {batch:UInt64}) AS dolar ON dolar.date = rows.date
        WHERE stands_on IN {days:Array(Date)}
    )
SELECT stands_on AS day, groupConcat(line) AS lines
FROM
(
    SELECT
        stands_on,
        formatRow('RowBinary',
            series_id, standing.date, quoted, toString(standing.currency), ifNull(equity_clp, nan),
            ifNull(return_1m, nan), ifNull(return_3m, nan), ifNull(return_6m, nan), ifNull(return_1y, nan),
            ifNull(return_ytd, nan), ifNull(return_3y_ann, nan), ifNull(return_5y_ann, nan), ifNull(return_last_closed_month, nan),
            ifNull(start_1m, toDate(0)), ifNull(start_3m, toDate(0)), ifNull(start_6m, toDate(0)), ifNull(start_1y, toDate(0)),
            ifNull(start_ytd, toDate(0)), ifNull(start_3y_ann, toDate(0)), ifNull(start_5y_ann, toDate(0)), ifNull(start_last_closed_month, toDate(0))) AS line
    FROM standing
    LEFT JOIN (SELECT * FROM batch_return_day(batch = {batch:UInt64}, from = arrayMin({days:Array(Date)}), to = arrayMax({days:Array(Date)})) WHERE date IN {days:Array(Date)}) AS windows
        ON windows.series_id = standing.series_id AND windows.date = standing.stands_on
    ORDER BY stands_on, series_id
)
GROUP BY stands_on
SETTINGS join_use_nulls = 0
