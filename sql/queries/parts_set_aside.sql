-- How many parts of tables ClickHouse has set aside because it could not read them.
SELECT count() AS parts
FROM system.detached_parts
WHERE database = currentDatabase() AND position(ifNull(reason, ''), 'broken') > 0
