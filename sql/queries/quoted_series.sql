-- The RUN and the name of every series of mutual funds that was ever quoted: on the newest day, the newest quote of each stands,
-- however old it is.
SELECT id AS series_id, run, serie
FROM registry
WHERE kind = 'series' AND batch <= {batch:UInt64} AND id IN
(
    SELECT series_id
    FROM standing_quote
    WHERE (date, build) IN
    (
        SELECT date, max(build) FROM return_day_version
        WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure))
        GROUP BY date
        ORDER BY date DESC
        LIMIT 1
    )
)
