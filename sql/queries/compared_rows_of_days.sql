-- The rows of a table of days as a batch sees it, of the buckets in which two copies differ.
--   list  the table with the builds of the days
--   key_1, key_2, key_3, key_4, buckets, wanted  as in compared_rows_of_batch
SELECT
parts.compared_row(number: build)
FROM {table:Identifier}
WHERE (date, build) IN parts.newest_builds(list: {list:Identifier}) AND
parts.compared_rest
