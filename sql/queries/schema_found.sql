-- What the database has of a schema: whether a table of versions exists, and whether the tables are
-- of a program from before the first version.
SELECT
    countIf(name = 'schema_version') > 0   AS versioned,
    countIf(name = 'goose_db_version') > 0 AS before_versions
FROM system.tables
WHERE database = currentDatabase()
