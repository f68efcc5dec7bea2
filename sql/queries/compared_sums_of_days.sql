-- The rows of a table of days as a batch sees it, in buckets that two copies compare.
--   list   the table with the builds of the days
--   key_1  the day
SELECT
parts.compared_sum(number: build)
FROM {table:Identifier}
WHERE (date, build) IN parts.newest_builds(list: {list:Identifier})
GROUP BY bucket
