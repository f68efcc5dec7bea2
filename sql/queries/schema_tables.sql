-- The tables and views of the database.
SELECT name, engine = 'View' AS view
FROM system.tables
WHERE database = currentDatabase()
