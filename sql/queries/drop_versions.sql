-- Forgets which migrations were run. Each can be run again.
DROP TABLE IF EXISTS goose_db_version
