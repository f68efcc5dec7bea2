-- Windows of all series on some days: the returns, and the days of the quotes with which they begin.
-- It has one row for each day and build. Rows of ALL builds are given, also of newer and failed ones. Keep those whose build is
-- return_build of the day in backtest_builds.sql. A filter here would compare the build of each row, which takes a quarter longer.
-- The columns of a row are one text of the format RowBinary, which is read many times faster than rows. It has arrays in the same
-- order of series: series_id; then the returns of the eight windows; then the days with which they begin. What is not
-- known is NaN or the day 0. A window that is not asked for has empty arrays, and its columns are not read.
--   days    days with data, on which the windows end
--   returns_1m, starts_1m and so on   the name of the argument if the window is asked for, else no_returns or no_starts
WITH
    groupArray(ifNull(return_{window}, nan)) AS returns_{window},
    groupArray(ifNull(start_{window}, toDate(0))) AS starts_{window},
    emptyArrayFloat64() AS no_returns,
    emptyArrayDate() AS no_starts
SELECT
    date AS day, build,
    formatRow('RowBinary',
        groupArray(series_id),
        {returns_1m:Identifier}, {returns_3m:Identifier}, {returns_6m:Identifier}, {returns_1y:Identifier},
        {returns_ytd:Identifier}, {returns_3y_ann:Identifier}, {returns_5y_ann:Identifier}, {returns_last_closed_month:Identifier},
        {starts_1m:Identifier}, {starts_3m:Identifier}, {starts_6m:Identifier}, {starts_1y:Identifier},
        {starts_ytd:Identifier}, {starts_3y_ann:Identifier}, {starts_5y_ann:Identifier}, {starts_last_closed_month:Identifier}) AS columns
FROM (SELECT * FROM return_day WHERE date IN {days:Array(Date)} SETTINGS max_block_size = 65409)
GROUP BY date, build
SETTINGS max_block_size = 8 -- texts come in small blocks: several are written at once, and the program reads the first ones meanwhile
