-- +goose Up

-- Each published batch notes how many rows it has, so that a later loss of rows is found.

CREATE TABLE IF NOT EXISTS batch_table
(
    batch   UInt64                 COMMENT 'Batch that wrote the rows; for a file, the first batch that read it',
    table   LowCardinality(String) COMMENT 'Table that holds the rows',
    piece   String                 COMMENT 'What the rows are of: a day (YYYY-MM-DD) in a table of days, a file (sha256) in a table of facts; empty: of the batch as a whole',
    rows    UInt64                 COMMENT 'Rows that the table held of the piece when the batch was published; a fact that arrived twice counts once'
)
ENGINE = MergeTree
ORDER BY (table, piece, batch)
COMMENT 'How many rows each table held when a batch was published: an inspection compares it with what is there';

CREATE TABLE IF NOT EXISTS batch_damage
(
    batch     UInt64                 COMMENT 'Published batch that is not answered from any more',
    found_at  DateTime64(3, 'UTC')   COMMENT 'When the damage was found',
    table     LowCardinality(String) COMMENT 'Table that rows are missing from, or that has a part which can not be read',
    reason    String                 COMMENT 'What is missing'
)
ENGINE = MergeTree
ORDER BY (batch, found_at)
COMMENT 'Damage that was found in stored tables. The batch that is built after the repair has no row here';

CREATE TABLE IF NOT EXISTS registry_copy
(
    kind   LowCardinality(String) COMMENT 'As in registry',
    id     UInt32                 COMMENT 'As in registry',
    key    String                 COMMENT 'As in registry',
    run    UInt32                 COMMENT 'As in registry',
    serie  String                 COMMENT 'As in registry',
    batch  UInt64                 COMMENT 'As in registry'
)
ENGINE = MergeTree
ORDER BY (kind, id)
COMMENT 'A second copy of registry, in files of its own: ids that were given out must not be given out anew if one copy is lost';

ALTER TABLE batch
    ADD COLUMN IF NOT EXISTS noted Bool DEFAULT false
        COMMENT 'True if the batch noted the rows of its tables (batch_table); false for batches of versions that did not';

ALTER TABLE project_command
    ADD COLUMN IF NOT EXISTS inspect Bool DEFAULT false
        COMMENT 'Inspect the stored tables, and build only what is found damaged';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
