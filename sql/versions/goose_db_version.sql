-- The applied migrations, in the form that goose expects.
CREATE TABLE IF NOT EXISTS goose_db_version
(
    version_id  Int64    COMMENT 'Number of the migration',
    is_applied  UInt8    COMMENT '1: applied',
    date        Date     DEFAULT now() COMMENT 'Day on which it was applied',
    tstamp      DateTime DEFAULT now() COMMENT 'When it was applied'
)
ENGINE = MergeTree
ORDER BY version_id
COMMENT 'Migrations of the schema that were applied'
