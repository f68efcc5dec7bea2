-- The days whose returns this batch builds: those that no batch has built, and those that
-- depend on a quote or a discontinuity that changed. A quote stands until the next quote of
-- its series, and its currency until the next quote that states one, which a void row does
-- not. A day depends on the quotes that stand on it and on the target dates of its windows,
-- and on the discontinuities in between.
--
-- counts: return_rows_building
INSERT INTO return_day_version (date, build)
WITH
    NOT ({rebuild:Bool} OR {previous:UInt64} = 0) AS compares,
    days AS
    (
        SELECT date FROM series_day_version WHERE parts.seen_by_batch(key: build)
        UNION DISTINCT
        SELECT date FROM fi_day_version WHERE parts.seen_by_batch(key: build)
    ),
    new_quotes AS
    (
        SELECT series_id, date, quota, currency FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
        UNION ALL
        SELECT series_id, date, quota, currency FROM batch_fi_quote(batch = {batch:UInt64}, series = [], all_series = true)
    ),
    changed AS
    (
        SELECT DISTINCT series_id, date
        FROM
        (
            SELECT * FROM new_quotes
            UNION ALL
            SELECT series_id, date, quota, currency
            FROM batch_series_day(batch = {previous:UInt64}, series = [], all_series = true)
            UNION ALL
            SELECT series_id, date, quota, currency
            FROM batch_fi_quote(batch = {previous:UInt64}, series = [], all_series = true)
        )
        WHERE compares
          AND date IN (SELECT date FROM series_day_version WHERE build = {batch:UInt64}
                       UNION ALL SELECT date FROM fi_day_version WHERE build = {batch:UInt64})
        GROUP BY series_id, date, quota, currency
        HAVING count() = 1
    ),
    stands AS
    (
        -- Every calendar day on which a quote stands that changed.
        SELECT DISTINCT toDate(arrayJoin(range(toUInt32(since), toUInt32(until)))) AS day
        FROM
        (
            SELECT since, if(next_date = toDate(0), (SELECT max(date) FROM days) + 1, next_date) AS until
            FROM (SELECT series_id, date AS since FROM changed) AS changes
            ASOF LEFT JOIN
            (
                SELECT series_id, date AS next_date FROM new_quotes
                WHERE currency != '' AND series_id IN (SELECT series_id FROM changed) AND date > (SELECT min(date) FROM changed)
            ) AS next
                ON next.series_id = changes.series_id AND next.next_date > changes.since
        )
    ),
    broken AS
    (
        SELECT DISTINCT date FROM discontinuity
        WHERE batch IN ({batch:UInt64}, {previous:UInt64}) AND compares
        GROUP BY series_id, date, kind HAVING count() = 1
    )
SELECT date, {batch:UInt64}
FROM days
WHERE NOT compares
   OR date NOT IN (SELECT date FROM return_day_version WHERE build < {batch:UInt64} AND build NOT IN (SELECT batch FROM batch_failure))
   OR date IN
   (
       SELECT date
       FROM days
       ARRAY JOIN arrayConcat([date], arrayFlatten(arrayMap(w -> [w.3, w.4], cuota_windows(date, cuota_closed_month_end(date))))) AS target
       WHERE target IN (SELECT day FROM stands)
   )
   OR date IN
   (
       -- The longest window begins five years before, with a quote that may be a week older.
       SELECT days.date FROM days CROSS JOIN broken
       WHERE days.date >= broken.date AND subtractMonths(days.date, 60) <= broken.date + 7
   )
