-- The days of the market that this batch builds. These are the days on which series_day, a
-- classification, a curated discontinuity or the end of a series changed, and the days that
-- depend on them. Up to seven days before depend on them, because a spike is recognised by
-- the next quote, and because a row counts for its series until the next row. Days after
-- depend on them as far as a monthly change reaches back, which is a month plus the seven
-- days that its first quote may be old: a factor or a break anywhere in between matters. A void
-- row has the currency of a quote up to 31 days before, and stands on seven more days. A
-- row after the end of its fund counts only on its own day, so an end that is added or
-- removed affects every later row of the fund.
INSERT INTO market_day_version (date, build)
WITH
    moved_ends AS
    (
        SELECT series_id, ended_on, by_register
        parts.from_moved_ends
    ),
    changed AS
    (
        SELECT date FROM series_day_version WHERE build = {batch:UInt64}
        UNION DISTINCT
        SELECT quotes.date
        FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true) AS quotes
        INNER JOIN
        (
            SELECT series_id, min(valid_from) AS since FROM
            (
                SELECT series_id, valid_from
                FROM classification
                WHERE batch IN ({batch:UInt64}, {previous:UInt64}) AND {previous:UInt64} != 0
                GROUP BY series_id, source, valid_from, stated_on, family_rar, family_display, category
                HAVING count() = 1
            )
            GROUP BY series_id
        ) AS reclassified USING (series_id)
        WHERE quotes.date + 7 >= reclassified.since -- an older row is in the family of the days on which it stands
        UNION DISTINCT
        SELECT date FROM discontinuity
        WHERE batch IN ({batch:UInt64}, {previous:UInt64}) AND kind = 'curated'
        GROUP BY series_id, date HAVING count() = 1
        UNION DISTINCT
        SELECT ended_on FROM moved_ends
        UNION DISTINCT
        -- A row after the end of its fund counts only on its own day, so every later row is
        -- affected.
        SELECT quotes.date
        FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true) AS quotes
        INNER JOIN (SELECT series_id, min(ended_on) AS since FROM moved_ends WHERE by_register GROUP BY series_id) AS ended USING (series_id)
        WHERE quotes.date >= ended.since
    ),
    days AS (SELECT DISTINCT date FROM series_day_version WHERE build <= {batch:UInt64} AND build NOT IN (SELECT batch FROM batch_failure))
SELECT DISTINCT days.date, {batch:UInt64}
FROM days
CROSS JOIN changed
WHERE {rebuild:Bool} OR {previous:UInt64} = 0
   OR changed.date BETWEEN subtractMonths(days.date, 1) - 14 AND days.date + 7
