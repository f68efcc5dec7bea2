-- The version of these tables. A program that knows only older versions does not touch them.

CREATE TABLE IF NOT EXISTS schema_version
(
    version  UInt32               COMMENT 'Version of the schema',
    made_at  DateTime64(3, 'UTC') COMMENT 'When a program made the tables of this version'
)
ENGINE = MergeTree
ORDER BY version
COMMENT 'Versions of the schema that the tables have had; the highest is theirs';
