-- The values for the statements that drop superseded rows (sql/garbage): builds of days that
-- no kept batch sees, by the table that lists them, and files whose rejected rows are no
-- longer kept, at most {most} of each. The deletes get these values and do not look them up
-- themselves, so that each deletes exactly what was found here. dataset and source_sha256
-- are in hex, because ClickHouse interprets escapes in the value of a parameter.
SELECT lists.table AS list, found.builds AS superseded, toString(found.some) AS some
FROM (SELECT table FROM built_table WHERE kind = 'list') AS lists
LEFT JOIN
(
    SELECT list, count() AS builds, arraySlice(arraySort(groupArray((date, build))), 1, {most:UInt32}) AS some
    FROM superseded_build
    GROUP BY list
) AS found ON found.list = lists.table
UNION ALL
SELECT
    'rejects', (SELECT count() FROM outdated_reject),
    toString((SELECT groupArray((hex(dataset), hex(source_sha256))) FROM (SELECT dataset, source_sha256 FROM outdated_reject ORDER BY dataset, source_sha256 LIMIT {most:UInt32})))
