-- The days of the market that this batch builds anew: those of which series_day
-- or a classification changed, and those that look at them: the quotes up to
-- seven days after (the change since the day before), up to seven days before (a
-- spike shows with the next quote), and around one month later (the monthly
-- change).
INSERT INTO market_build (date, build)
WITH
    changed AS
    (
        SELECT date FROM day_build WHERE build = {batch:UInt64}
        UNION DISTINCT
        SELECT quotes.date
        FROM series_day_of(batch = {batch:UInt64}, series = []) AS quotes
        INNER JOIN
        (
            SELECT series_id, min(valid_from) AS since FROM
            (
                SELECT series_id, source, valid_from, family_rar, family_display, category, count() AS batches
                FROM classification
                WHERE batch IN ({batch:UInt64}, {previous:UInt64})
                GROUP BY ALL
            )
            WHERE batches = 1 AND {previous:UInt64} != 0
            GROUP BY series_id
        ) AS reclassified USING (series_id)
        WHERE quotes.date >= reclassified.since
    ),
    days AS (SELECT DISTINCT date FROM day_build WHERE build <= {batch:UInt64})
SELECT DISTINCT days.date, {batch:UInt64}
FROM days
CROSS JOIN changed
WHERE {rebuild:Bool} OR {previous:UInt64} = 0
   OR abs(days.date - changed.date) <= 7
   OR (changed.date <= subtractMonths(days.date, 1) AND changed.date >= subtractMonths(days.date, 1) - 7)
