-- The price returns of a series over all windows of one year, and of three years per year, that end on a month end (RULES 1),
-- and what they come to (RULES 5). They are those that the batch stored of the month end, which has none of a series without
-- a quote in the 38 days before it. The first month end is that of the first quote; the last one is at most 38 days after the
-- last quote.
--   as_of  the last day
-- One row for each window, with its lists in the order of month ends. lowest, highest, median and negative (the share of
-- returns below 0) are null if fewer than 12 windows have a return; lowest_on and highest_on are the earliest such ends.
WITH
    stored AS
    (
        SELECT date, [(return_1y, toString(reason_1y)), (return_3y_ann, toString(reason_3y_ann))] AS windows
        FROM batch_return_day(batch = {batch:UInt64}, from = '1970-01-01', to = {as_of:Date})
        WHERE series_id = {series_id:UInt32}
    ),
    ends AS
    (
        SELECT
            arrayJoin(arrayFilter(
                month_end -> month_end BETWEEN first_day AND last_day,
                arrayMap(n -> toLastDayOfMonth(addMonths(toStartOfMonth(first_day), n)),
                         range(toUInt32(dateDiff('month', first_day, last_day) + 1))))) AS month_end,
            has(days, month_end) AS is_stored, lists[indexOf(days, month_end)] AS windows
        FROM (SELECT min(date) AS first_day, max(date) AS last_day, groupArray(date) AS days, groupArray(windows) AS lists FROM stored HAVING count() > 0)
    ),
    -- The month ends of which the batch stored returns of some series.
    market AS (SELECT date FROM parts.newest_builds(list: return_day_version) WHERE date <= {as_of:Date}),
    listed AS
    (
        SELECT
            w.1 AS window,
            arraySort(groupArray((month_end, w.2.1, multiIf(is_stored, w.2.2, month_end IN (SELECT date FROM market), 'stale_end_quote', 'no_stored_return')))) AS list,
            arrayFilter(one -> one.2 IS NOT NULL, list) AS known,
            arrayMap(one -> assumeNotNull(one.2), known) AS values,
            length(known) >= 12 AS enough
        FROM ends
        ARRAY JOIN arrayZip(['1y', '3y_ann'], is_stored ? windows : [(NULL, NULL), (NULL, NULL)]) AS w
        GROUP BY window
    )
SELECT
    window,
    arrayMap(one -> one.1, list) AS ends, arrayMap(one -> one.2, list) AS returns, arrayMap(one -> one.3, list) AS reasons,
    toUInt32(length(known))                                                           AS windows,
    enough ? arrayMin(values) : NULL                                                  AS lowest,
    enough ? arrayFirst(one -> one.2 = lowest, known).1 : NULL                        AS lowest_on,
    enough ? arrayMax(values) : NULL                                                  AS highest,
    enough ? arrayFirst(one -> one.2 = highest, known).1 : NULL                       AS highest_on,
    enough ? arrayReduce('quantileExactInclusive(0.5)', values) : NULL                AS median,
    enough ? arrayCount(value -> value < 0, values) / length(values) : NULL           AS negative
FROM listed
ORDER BY window
SETTINGS join_use_nulls = 0
