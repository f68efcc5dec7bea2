-- The statements that give tables of former names their names of today. tables_twice has said
-- that no table exists under both.
SELECT format('RENAME TABLE IF EXISTS `{}` TO `{}`', renamed.former, renamed.name) AS statement
FROM former_name AS renamed
INNER JOIN (SELECT name, sorting_key FROM system.tables WHERE database = currentDatabase()) AS stored
    ON stored.name = renamed.former AND stored.sorting_key = renamed.sorting_key
WHERE renamed.sorting_key != '' AND renamed.name NOT IN (SELECT name FROM system.tables WHERE database = currentDatabase())
ORDER BY renamed.former
