-- The version of the tables; 0 if none is noted.
SELECT max(version) FROM schema_version
