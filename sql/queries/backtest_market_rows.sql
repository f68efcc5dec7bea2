-- The series of mutual funds with a row that stands on each of some days, with their equity, from the rows of the market. It is read if a
-- strategy needs the equity, or if another version of the program built the batch. Without equity, backtest_candidates.sql has the
-- same series in a fraction of the time.
-- It has one row for each day, date and build: the series whose row of date, from this build of date, stands on day. Rows of ALL builds are
-- given, also of newer and failed ones. Keep those whose build is market_build of date in backtest_builds.sql. A filter here
-- would compare the build of each row, which took 0.03 of 0.10 s (decisions/0057).
-- The columns of a row are one text of the format RowBinary. It has arrays in the same
-- order of series: series_id; 0 if the row is void; currency, which is 1 for PESOS, 2 for DOLAR and 0 for another one; and equity
-- in pesos at the dólar of day, or of at most 7 days before (RULES 8), NaN if it is not known.
--   batch   number of the batch; only the dólar is read from it
--   days    days with data
--   before  the 7 days before each of them: a row stands on at most 7 later days
WITH standing AS
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
)
SELECT
    standing.day AS day, standing.date AS date, standing.build AS build,
    formatRow('RowBinary', groupArray(standing.series_id), groupArray(standing.quoted), groupArray(multiIf(standing.currency = 'PESOS', 1, standing.currency = 'DOLAR', 2, 0)),
              groupArray(ifNull(toFloat64(cuota_clp(standing.currency, standing.equity, dolar.value)), nan))) AS columns
FROM standing
LEFT JOIN batch_dolar(batch = {batch:UInt64}) AS dolar ON dolar.date = standing.day
GROUP BY day, date, build
