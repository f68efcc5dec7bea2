-- The tables that have parts.
SELECT DISTINCT table
FROM system.parts
WHERE database = currentDatabase() AND active
ORDER BY table
