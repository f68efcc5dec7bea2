-- The tables whose parts an inspection reads.
SELECT DISTINCT table
FROM system.parts
WHERE database = currentDatabase() AND active
ORDER BY table
