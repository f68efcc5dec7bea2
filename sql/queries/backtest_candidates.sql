-- The series of mutual funds with a row that stands on each of some days, alive or closed: what
-- market_as_of.sql has of them for one day, without what catalogues state and without windows
-- (backtest_windows.sql). It has one row for each day. Its columns are one text of the format RowBinary, each an array in
-- the same order of series, which is read many times faster than rows: series_id; day of the row; 0 if the row is void;
-- currency; and equity in pesos at the dólar of that day, or of at most 7 days before, NaN if it is not known.
--   batch  number of the batch
--   days   days with data
--   rows   with_equity, or without_equity if nobody asks for the equity, which is NaN then. A view that is not named is
--          not planned and not joined.
WITH
    standing AS
    (
        SELECT stands_on, series_id, date, currency, price IS NOT NULL AS quoted, equity
        FROM
        (
            SELECT arrayJoin(arrayMap(n -> date + n, range(toUInt16(stands_until - date + 1)))) AS stands_on, *
            FROM batch_market_day(batch = {batch:UInt64}, from = arrayMin({days:Array(Date)}) - 7, to = arrayMax({days:Array(Date)}))
            WHERE date IN {days:Array(Date)}
               -- Nearly all other rows count on their own day only.
               OR stands_until > date AND date IN (SELECT arrayJoin(arrayMap(n -> day - n, range(1, 8))) FROM (SELECT arrayJoin({days:Array(Date)}) AS day))
        )
        WHERE stands_on IN {days:Array(Date)}
    ),
    with_equity AS
    (
        SELECT stands_on, series_id, standing.date AS date, currency, quoted, toFloat64(cuota_clp(currency, equity, dolar.value)) AS equity_clp
        FROM standing
        LEFT JOIN batch_dolar(batch = {batch:UInt64}) AS dolar ON dolar.date = standing.date
    ),
    without_equity AS (SELECT stands_on, series_id, date, currency, quoted, nan AS equity_clp FROM standing)
SELECT
    stands_on AS day,
    formatRow('RowBinary', groupArray(series_id), groupArray(date), groupArray(quoted), groupArray(toString(currency)), groupArray(ifNull(equity_clp, nan))) AS columns
FROM {rows:Identifier}
GROUP BY stands_on
SETTINGS join_use_nulls = 0
