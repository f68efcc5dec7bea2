-- The rows of a table for people that differ between two batches: the key of each, and the row
-- in the older batch and in the newer one, as JSON. A row that one of them does not have is
-- empty there. {key} stands for the columns of the key, {columns} for those of the row, {from}
-- for the statement of the table as the older batch sees it and {to} as the newer one does,
-- and {where} for the condition on the days, if the table is compared by days.
--
-- Rows are grouped on disk where they do not fit into memory.
--   since  number of the older batch
--   batch  number of the newer batch
--   days   the days to compare, of a table that is compared by days
SELECT key, was, is
FROM
(
    SELECT
        formatRowNoNewline('JSONEachRow', {key}) AS key,
        anyIf(row, NOT newer) AS was,
        anyIf(row, newer)     AS is
    FROM
    (
        SELECT {key}, false AS newer, formatRowNoNewline('JSONEachRow', {columns}) AS row FROM ({from}) AS older_rows{where}
        UNION ALL
        SELECT {key}, true, formatRowNoNewline('JSONEachRow', {columns}) FROM ({to}) AS newer_rows{where}
    )
    GROUP BY {key}
)
WHERE was != is
ORDER BY key
SETTINGS max_bytes_before_external_group_by = 500000000, max_bytes_before_external_sort = 500000000
