-- The tables that batches fill, as two copies compare them. Numbers of batches and builds differ between copies.
-- Lists of what a batch builds are left out, because they depend on what earlier batches of a copy had built.
--   columns  names and types, in the order of the table
--   key      the columns that identify a row, the day first
SELECT
    table, kind, list,
    arrayMap(c -> c.2, arraySort(groupArray((position, concat(name, ' ', type)))))                   AS columns,
    arrayMap(c -> c.3, arraySort(groupArrayIf((name != 'date', position, name), is_in_sorting_key))) AS key
FROM
(
    SELECT table, name, type, position, is_in_sorting_key
    FROM system.columns
    WHERE database = currentDatabase() AND name NOT IN ('batch', 'build')
) AS stored
INNER JOIN built_table USING (table)
WHERE NOT endsWith(table, '_version')
GROUP BY table, kind, list
ORDER BY table
