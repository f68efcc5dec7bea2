-- Drops the list of applied migrations, so that each is run again.
DROP TABLE IF EXISTS goose_db_version
