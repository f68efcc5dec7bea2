-- The series of mutual funds with a row that stands on each of some days, alive or closed: what
-- market_as_of.sql has of them for one day, without what catalogues state and without windows
-- (backtest_windows.sql).
-- It has one row for each day, date and build: the series whose row of date, from this build of date, stands on day. Rows of ALL builds are
-- given, also of newer and failed ones. Keep those whose build is market_build of date in backtest_builds.sql. A filter here
-- would compare the build of each row, which takes nearly half as long again.
-- The columns of a row are one text of the format RowBinary, which is read many times faster than rows. It has arrays in the same
-- order of series: series_id; 0 if the row is void; currency, which is 1 for PESOS, 2 for DOLAR and 0 for another one; and equity
-- in pesos at the dólar of date, or of at most 7 days before, NaN if it is not known.
--   batch     number of the batch; only the dólar is read from it
--   days      days with data
--   before    the 7 days before each of them: a row stands on at most 7 later days
--   rows      with_equity or without_equity. One that is not named is not planned and not joined.
--   equities  known_equities if rows is with_equity, else no_equities (an empty array)
WITH
    standing AS
    (
        SELECT date AS day, date, build, series_id, currency, price IS NOT NULL AS quoted, equity
        FROM market_day
        WHERE date IN {days:Array(Date)}
        UNION ALL
        -- Rows of earlier days that still stand. They are few: nearly all rows stand on their own day only.
        SELECT arrayJoin(arrayFilter(day -> day IN {days:Array(Date)}, arrayMap(n -> date + n, range(1, toUInt16(stands_until - date + 1))))), date, build, series_id, currency, price IS NOT NULL, equity
        FROM market_day
        PREWHERE stands_until > date -- before the lookup in the list, because it leaves few rows
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
