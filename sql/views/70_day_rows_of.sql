-- How many rows the tables of days have for each day, in the build that batch N sees, for
-- the builds of batches after M (since). Days without a row are included.
--   SELECT * FROM day_rows_of(batch = 7, since = 0) WHERE table = 'market_day'
CREATE OR REPLACE VIEW day_rows_of AS
SELECT table, date, build, rows FROM
(
    SELECT 'series_day' AS table, builds.date AS date, builds.newest AS build, stored.rows AS rows
    FROM
    (
        SELECT date, max(build) AS newest FROM day_build
        WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure))
        GROUP BY date HAVING newest > {since:UInt64}
    ) AS builds
    LEFT JOIN (SELECT date, build, count() AS rows FROM series_day WHERE build > {since:UInt64} GROUP BY date, build) AS stored
        ON stored.date = builds.date AND stored.build = builds.newest
    UNION ALL
    SELECT 'market_day' AS table, builds.date AS date, builds.newest AS build, stored.rows AS rows
    FROM
    (
        SELECT date, max(build) AS newest FROM market_build
        WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure))
        GROUP BY date HAVING newest > {since:UInt64}
    ) AS builds
    LEFT JOIN (SELECT date, build, count() AS rows FROM market_day WHERE build > {since:UInt64} GROUP BY date, build) AS stored
        ON stored.date = builds.date AND stored.build = builds.newest
    UNION ALL
    SELECT 'family_day' AS table, builds.date AS date, builds.newest AS build, stored.rows AS rows
    FROM
    (
        SELECT date, max(build) AS newest FROM market_build
        WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure))
        GROUP BY date HAVING newest > {since:UInt64}
    ) AS builds
    LEFT JOIN (SELECT date, build, count() AS rows FROM family_day WHERE build > {since:UInt64} GROUP BY date, build) AS stored
        ON stored.date = builds.date AND stored.build = builds.newest
    UNION ALL
    SELECT 'family_long_step' AS table, builds.date AS date, builds.newest AS build, stored.rows AS rows
    FROM
    (
        SELECT date, max(build) AS newest FROM market_build
        WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure))
        GROUP BY date HAVING newest > {since:UInt64}
    ) AS builds
    LEFT JOIN (SELECT date, build, count() AS rows FROM family_long_step WHERE build > {since:UInt64} GROUP BY date, build) AS stored
        ON stored.date = builds.date AND stored.build = builds.newest
    UNION ALL
    SELECT 'manager_day' AS table, builds.date AS date, builds.newest AS build, stored.rows AS rows
    FROM
    (
        SELECT date, max(build) AS newest FROM market_build
        WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure))
        GROUP BY date HAVING newest > {since:UInt64}
    ) AS builds
    LEFT JOIN (SELECT date, build, count() AS rows FROM manager_day WHERE build > {since:UInt64} GROUP BY date, build) AS stored
        ON stored.date = builds.date AND stored.build = builds.newest
    UNION ALL
    SELECT 'fi_day' AS table, builds.date AS date, builds.newest AS build, stored.rows AS rows
    FROM
    (
        SELECT date, max(build) AS newest FROM fi_day_build
        WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure))
        GROUP BY date HAVING newest > {since:UInt64}
    ) AS builds
    LEFT JOIN (SELECT date, build, count() AS rows FROM fi_day WHERE build > {since:UInt64} GROUP BY date, build) AS stored
        ON stored.date = builds.date AND stored.build = builds.newest
)
SETTINGS join_use_nulls = 0
