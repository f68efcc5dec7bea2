-- Notes the version of the tables.
--   version  version of the schema
INSERT INTO schema_version (version, made_at)
SELECT {version:UInt32}, now64(3)
