-- The columns of a table of facts in their order, but those that are computed from others.
--   table  the table
SELECT name, type
FROM system.columns
WHERE database = currentDatabase() AND table = {table:String} AND default_kind = ''
ORDER BY position
