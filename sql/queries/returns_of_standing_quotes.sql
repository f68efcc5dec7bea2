-- The windows of series of mutual funds on a day on which return_day has no row of them: before their first quote, and from
-- the 39th day after their last one. They are one text of rows as in returns_of_day_lines.sql. The windows begin and end with the quotes that
-- stand on their target dates, or on the last day of the market before. The rule is that of projections/45_return_day.sql (RULES 1);
-- query.TestReturnsOfAClosedSeriesAreThoseOfStandingQuotes compares the replies with the computed ones.
--   all           every such series
--   series_id     else only this one
--   day           the day
--   days, builds  the days of the market that answer for the targets, and the build of each (days_of_batch.sql): first the day
--                 itself, then the starts of the windows in order, then the end of the last closed month. The day 0 if there is none.
WITH
    wanted AS
    (
        SELECT id AS series_id
        FROM registry
        WHERE kind = 'series' AND batch <= {batch:UInt64} AND ({all:Bool} OR id = {series_id:UInt32})
          AND id NOT IN (SELECT series_id FROM return_day WHERE date = {day:Date} AND build = {builds:Array(UInt64)}[1])
    ),
    standing AS
    (
        SELECT
            series_id,
            CAST((groupArray(date), groupArray((cuota_packed_quote(quote_date, quota, currency), toString(stated_currency)))), 'Map(Date, Tuple(UInt128, String))') AS quoted
        FROM standing_quote
        WHERE date IN {days:Array(Date)} AND (date, build) IN arrayZip({days:Array(Date)}, {builds:Array(UInt64)})
          AND ({all:Bool} OR series_id = {series_id:UInt32})
        GROUP BY series_id
    ),
    breaks AS (SELECT series_id, groupArray((date, kind)) AS list FROM discontinuity WHERE batch = {batch:UInt64} GROUP BY series_id),
    quotes AS
    (
        SELECT
            wanted.series_id AS series_id, breaks.list AS list, standing.quoted[{day:Date}].2 AS stated,
            arrayMap(day -> cuota_unpacked_quote(standing.quoted[day].1), {days:Array(Date)}) AS picked
        FROM wanted
        LEFT JOIN standing ON standing.series_id = wanted.series_id
        LEFT JOIN breaks ON breaks.series_id = wanted.series_id
    ),
    windows AS
    (
        SELECT
            series_id, list, stated, picked[1] AS last, picked[10] AS month_last, arraySlice(picked, 2, 8) AS starts,
            [picked[1], picked[1], picked[1], picked[1], picked[1], picked[1], picked[1], picked[10]] AS ends
        FROM quotes
    ),
    judged AS
    (
        SELECT
            series_id, stated, last, month_last, starts, ends,
            parts.judged_windows(day: {day:Date})
        FROM windows
    )
SELECT groupConcat(formatRow('RowBinary',
    series_id, last.1, last.3, stated, nullIf(month_last.1, toDate(0)), month_last.3,
    values[1], values[2], values[3], values[4], values[5], values[6], values[7], values[8],
    reasons[1], reasons[2], reasons[3], reasons[4], reasons[5], reasons[6], reasons[7], reasons[8],
    nullIf(starts[1].1, toDate(0)), nullIf(starts[2].1, toDate(0)), nullIf(starts[3].1, toDate(0)), nullIf(starts[4].1, toDate(0)),
    nullIf(starts[5].1, toDate(0)), nullIf(starts[6].1, toDate(0)), nullIf(starts[7].1, toDate(0)), nullIf(starts[8].1, toDate(0)))) AS lines
FROM judged
SETTINGS max_threads = 1
