-- The price returns of a series in its accounting currency over calendar years, the newest year first: from the quote of
-- 31 December of the year before to that of 31 December, or of as_of in the year that is not over (partial). The quotes
-- and the reasons are those of a window (RULES 1).
--   as_of  the last day
--   days, versions, quota  names of tables and of a column, as in days.sql
WITH
    toDate({as_of:Date}) AS last_day,
    ends AS
    (
        SELECT argMax((date, toFloat64({quota:Identifier}), toString(currency)), date) AS quote, min(date) AS first_date
        FROM {days:Identifier}
        WHERE series_id = {series_id:UInt32} AND date <= {as_of:Date} AND (date, build) IN parts.newest_builds(list: {versions:Identifier})
        GROUP BY toYear(date)
    ),
    -- A series without a row for more than 7 days has ended with the year of its last row.
    picked AS
    (
        SELECT
            arrayJoin(range(toYear(first_date), if(last_day - quotes[-1].1 <= 7, toYear(last_day), toYear(quotes[-1].1)) + 1)) AS year,
            makeDate(year, 1, 1) - 1 AS target_start, least(makeDate(year, 12, 31), last_day) AS target_end,
            arrayLast(q -> q.1 <= target_start, quotes) AS opening, arrayLast(q -> q.1 <= target_end, quotes) AS closing
        FROM (SELECT min(first_date) AS first_date, arraySort(groupArray(quote)) AS quotes FROM ends HAVING count() > 0)
    ),
    breaks AS (SELECT groupArray((date, toString(kind))) AS list FROM discontinuity WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32})
SELECT
    toUInt16(year) AS year, target_end < makeDate(year, 12, 31) AS partial,
    cuota_quote_reason(true, target_end, closing.1, closing.2, closing.3, target_start, opening.1, opening.2, opening.3,
                       arrayMap(b -> b.2, arrayFilter(b -> b.1 > opening.1 AND b.1 <= closing.1, breaks.list))) AS reason,
    reason IS NULL ? closing.2 / opening.2 - 1 : NULL AS value,
    nullIf(opening.1, toDate(0)) AS start_date, nullIf(closing.1, toDate(0)) AS end_date
FROM picked
CROSS JOIN breaks
ORDER BY year DESC
