-- The RUN and the name of every series of mutual funds that was ever quoted: on the newest day, the newest quote of each stands,
-- however old it is.
SELECT id AS series_id, run, serie
FROM registry
WHERE kind = 'series' AND batch <= {batch:UInt64} AND id IN
(
    SELECT series_id
    FROM standing_quote
    WHERE (date, build) IN (SELECT * FROM parts.newest_builds(list: return_day_version) ORDER BY date DESC LIMIT 1)
)
