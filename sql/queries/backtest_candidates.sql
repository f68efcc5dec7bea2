-- The series of mutual funds with a row that stands on each of some days, alive or closed: what
-- market_as_of.sql has of them for one day, without what catalogues state and without windows
-- (backtest_windows.sql). It has one row for each day. Its columns are one text of the format RowBinary, each an array in
-- the same order of series, which is read many times faster than rows: series_id; day of the row; 0 if the row is void;
-- currency; and equity in pesos at the dólar of that day, or of at most 7 days before, NaN if it is not known.
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
SELECT
    stands_on AS day,
    formatRow('RowBinary', groupArray(series_id), groupArray(date), groupArray(quoted), groupArray(toString(currency)), groupArray(ifNull(equity_clp, nan))) AS columns
FROM standing
GROUP BY stands_on
SETTINGS join_use_nulls = 0
