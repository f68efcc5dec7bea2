-- The series of mutual funds with a row that stands on each of some days, alive or closed: what
-- market_as_of.sql has of them for one day, without what catalogues state and without windows
-- (backtest_windows.sql). It has one row for each day, day of the rows, and build of that day. The reader takes the build that the
-- batch reads (backtest_builds.sql), because comparing the build of each row would take as long as the rest. Its columns are one text
-- of the format RowBinary, each an array in the same order of series, which is read many times faster than
-- rows: series_id; 0 if the row is void; currency, which is 1 for PESOS, 2 for DOLAR and 0 for another one; and equity in pesos
-- at the dólar of the day of the row, or of at most 7 days before, NaN if it is not known.
--   batch     number of the batch
--   days      days with data
--   before    the seven days before each of them
--   rows      with_equity, or without_equity. A view that is not named is not planned and not joined.
--   equities  known_equities with the first, else no_equities, which is an empty array
WITH
    standing AS
    (
        SELECT date AS day, date, build, series_id, currency, price IS NOT NULL AS quoted, equity
        FROM market_day
        WHERE date IN {days:Array(Date)}
        UNION ALL
        -- Nearly all other rows count on their own day only.
        SELECT arrayJoin(arrayFilter(day -> day > date AND day <= stands_until, {days:Array(Date)})), date, build, series_id, currency, price IS NOT NULL, equity
        FROM market_day
        PREWHERE stands_until > date -- few rows, so that only they are looked up in the list
        WHERE date IN {before:Array(Date)}
    ),
    with_equity AS
    (
        SELECT standing.*, toFloat64(cuota_clp(currency, equity, dolar.value)) AS equity_clp
        FROM standing
        LEFT JOIN batch_dolar(batch = {batch:UInt64}) AS dolar ON dolar.date = standing.date
    ),
    without_equity AS (SELECT *, nan AS equity_clp FROM standing),
    groupArray(ifNull(equity_clp, nan)) AS known_equities,
    emptyArrayFloat64() AS no_equities
SELECT
    day, date, build,
    formatRow('RowBinary', groupArray(series_id), groupArray(quoted), groupArray(multiIf(currency = 'PESOS', 1, currency = 'DOLAR', 2, 0)), {equities:Identifier}) AS columns
FROM {rows:Identifier}
GROUP BY day, date, build
SETTINGS join_use_nulls = 0
