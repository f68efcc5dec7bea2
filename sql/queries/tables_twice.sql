-- The tables that exist under a former name and under the name of today, as text such as
-- "source and complete_file".
SELECT arraySort(groupArray(format('{} and {}', renamed.former, renamed.name))) AS tables
FROM former_name AS renamed
INNER JOIN (SELECT name, sorting_key FROM system.tables WHERE database = currentDatabase()) AS stored
    ON stored.name = renamed.former AND stored.sorting_key = renamed.sorting_key
WHERE renamed.sorting_key != '' AND renamed.name IN (SELECT name FROM system.tables WHERE database = currentDatabase())
