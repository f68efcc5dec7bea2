-- Parts that ClickHouse has set aside because it could not read them.
SELECT table, name, ifNull(reason, '') AS reason
FROM system.detached_parts
WHERE database = currentDatabase() AND startsWith(ifNull(reason, ''), 'broken')
ORDER BY table, name
