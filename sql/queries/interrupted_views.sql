-- The statements that drop what an interrupted CREATE OR REPLACE VIEW has left: ClickHouse first makes
-- the new view under a name of its own.
SELECT concat('DROP TABLE IF EXISTS `', name, '`') AS statement
FROM system.tables
WHERE database = currentDatabase() AND startsWith(name, '_tmp_replace_')
ORDER BY name
