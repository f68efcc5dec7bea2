-- The statements that drop what a CREATE OR REPLACE VIEW has left that was interrupted:
-- ClickHouse makes the new view under a name of its own first.
SELECT concat('DROP TABLE IF EXISTS `', name, '`') AS statement
FROM system.tables
WHERE database = currentDatabase() AND startsWith(name, '_tmp_replace_')
