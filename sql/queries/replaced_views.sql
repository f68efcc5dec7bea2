-- The statements that drop the views of former names, and what an interrupted CREATE OR
-- REPLACE VIEW has left: ClickHouse first makes the new view under a name of its own. Views
-- that others made are kept.
SELECT concat('DROP TABLE IF EXISTS `', name, '`') AS statement
FROM system.tables
WHERE database = currentDatabase()
  AND (startsWith(name, '_tmp_replace_') OR engine = 'View' AND name IN (SELECT former FROM former_name WHERE sorting_key = ''))
ORDER BY name
