-- How many rows the tables of days have for each day, in the build that batch N sees, for
-- the builds of batches after M (since). Days without a row are included.
--   SELECT * FROM batch_day_row_count(batch = 7, since = 0) WHERE table = 'market_day'
CREATE OR REPLACE VIEW batch_day_row_count AS
SELECT days.table AS table, builds.date AS date, builds.newest AS build, stored.rows AS rows
FROM (SELECT table, list FROM built_table WHERE kind = 'day') AS days
INNER JOIN
(
    SELECT toString(_table) AS list, date, max(build) AS newest
    FROM merge(currentDatabase(), (SELECT concat('^(', arrayStringConcat(groupArray(table), '|'), ')$') FROM built_table WHERE kind = 'list'))
    WHERE parts.seen_by_batch(key: build)
    GROUP BY list, date HAVING newest > {since:UInt64}
) AS builds ON builds.list = days.list
LEFT JOIN
(
    SELECT toString(_table) AS table, date, build, count() AS rows
    FROM merge(currentDatabase(), (SELECT concat('^(', arrayStringConcat(groupArray(table), '|'), ')$') FROM built_table WHERE kind = 'day'))
    WHERE build > {since:UInt64}
    GROUP BY table, date, build
) AS stored ON stored.table = days.table AND stored.date = builds.date AND stored.build = builds.newest
SETTINGS join_use_nulls = 0
