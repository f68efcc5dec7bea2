-- Batches. A batch is published by its row in the table batch, which is written last. So if N is a
-- published batch, all rows of batch N are complete. Each published batch notes how many rows it has, so
-- that a later loss of rows is found.

CREATE TABLE IF NOT EXISTS batch_attempt
(
    batch       UInt64               COMMENT 'Number of the batch, published or not; never used twice',
    started_at  DateTime64(3, 'UTC') COMMENT 'When building began',
    claim       String DEFAULT ''    COMMENT 'Who took the number: random, so that two that took the same one see it'
)
ENGINE = MergeTree
ORDER BY batch
COMMENT 'Every batch that was begun';

CREATE TABLE IF NOT EXISTS batch_new_file
(
    batch     UInt64                 COMMENT 'First batch that the file is part of; it stays part of all later ones',
    dataset   LowCardinality(String) COMMENT 'Dataset of the file',
    sha256    String                 COMMENT 'Hash of the raw file, hex',
    revision  DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen'
)
ENGINE = MergeTree
ORDER BY (batch, dataset, sha256)
COMMENT 'Which files a batch is made of: those of its own number and of all before. Holds several batches: read batch_file';

CREATE TABLE IF NOT EXISTS batch
(
    batch                 UInt64                            COMMENT 'Number of the batch',
    batch_id              String                            COMMENT 'Public name of the batch: cutoff, number of its plan, start of the fingerprint',
    as_of_date            Nullable(Date)                    COMMENT 'Cutoff: the latest complete date; null while no date is complete',
    latest_complete_date  Nullable(Date)                    COMMENT 'Latest date on which the market was complete (RULES 1)',
    last_quota_date       Nullable(Date)                    COMMENT 'Latest date with any quota value',
    calculation_date      Date                              COMMENT 'Santiago day on which the batch was built',
    calculated_at         DateTime64(3, 'UTC')              COMMENT 'When the batch was built',
    input_fingerprint     FixedString(64)                   COMMENT 'sha256 over the files of the batch and their revisions, hex',
    method_version        LowCardinality(String)            COMMENT 'Version of the return rules',
    tolerance_days        UInt8                             COMMENT 'Oldest quote that stands for a target date, calendar days',
    series_count          UInt32                            COMMENT 'Rows of the screener: series alive at the cutoff',
    total_records         UInt64                            COMMENT 'Facts of all datasets in the batch, corrections resolved',
    rebuilt_days          UInt32                            COMMENT 'Days of series_day that this batch built anew',
    rules                 LowCardinality(String) DEFAULT '' COMMENT 'sha256 over the statements that computed the batch, hex',
    noted                 Bool DEFAULT false                COMMENT 'True if the batch noted the rows of its tables (batch_table)'
)
ENGINE = MergeTree
ORDER BY batch
COMMENT 'Published batches. The highest number is the current one';

CREATE TABLE IF NOT EXISTS batch_plan
(
    plan        UInt64                 COMMENT 'Number of the plan; the public name of its batch has it',
    id          String                 COMMENT 'Random, so that whoever planned it recognises it',
    previous    UInt64                 COMMENT 'The plan that was the last one when this one was made; 0: none',
    planned_at  DateTime64(3, 'UTC')   COMMENT 'When it was planned: the moment that the batch is computed with',
    files       Array(String)          COMMENT 'Hashes of the files that are new in it, in the order of publication',
    rebuild     Bool                   COMMENT 'Build every day anew',
    rules       LowCardinality(String) COMMENT 'sha256 over the statements that must compute the batch, hex',
    commands    Array(String)          COMMENT 'Ids of the commands that it carries out',
    copy        LowCardinality(String) COMMENT 'Copy that planned it (CUOTA_COPY); empty: the only one'
)
ENGINE = ReplacingMergeTree
ORDER BY plan
COMMENT 'What each batch consists of, as the topic cuota.batches says: every copy builds these batches in this order';

CREATE TABLE IF NOT EXISTS plan_attempt
(
    plan     UInt64 COMMENT 'Plan that was being built',
    attempt  UInt64 COMMENT 'Number of the batch that was begun for it, published or not'
)
ENGINE = ReplacingMergeTree
ORDER BY (plan, attempt)
COMMENT 'Which batches were begun to build a plan. A plan is done once one of them is published, or was refused by its checks';

CREATE TABLE IF NOT EXISTS plan_built
(
    plan       UInt64                        COMMENT 'Plan of the batch',
    place      UInt64                        COMMENT 'Place of the message in the topic: that of the lowest place decides',
    copy       LowCardinality(String)        COMMENT 'Copy that built the batch (CUOTA_COPY); empty: the only one',
    built_at   DateTime64(3, 'UTC')          COMMENT 'When servers begin to answer from it, as this copy says: with a name of a copy, 20 seconds after it was built',
    tables     Array(LowCardinality(String)) COMMENT 'Tables that were summed up; none where there is one copy',
    checksums  Array(UInt64)                 COMMENT 'Of each: checksum over the rows that the batch wrote'
)
ENGINE = ReplacingMergeTree
ORDER BY (plan, place)
COMMENT 'What each copy says of a batch that it has built, before it publishes it. Copies that differ from the first do not publish theirs';

CREATE TABLE IF NOT EXISTS copy_progress
(
    copy      LowCardinality(String) COMMENT 'Copy whose tables these are (CUOTA_COPY); empty: the only one',
    caught_up_at  DateTime64(3, 'UTC')   COMMENT 'Everything that the topic cuota.batches had by then is stored here',
    valid_ms  UInt32                 COMMENT 'How long after caught_up_at queries may be answered from the published batch; 0: always, as there is one copy'
)
ENGINE = ReplacingMergeTree(caught_up_at)
ORDER BY copy
COMMENT 'Until when query servers of this copy may answer. The newest row counts';

CREATE TABLE IF NOT EXISTS batch_failure
(
    batch      UInt64               COMMENT 'Number of the batch that was not published',
    failed_at  DateTime64(3, 'UTC') COMMENT 'When it was given up',
    reason     String               COMMENT 'The statement that failed, or the checks that the batch did not pass',
    refused    Bool DEFAULT false   COMMENT 'The batch was built and did not pass its checks: it is built again only once something new arrives. False for a batch that could not be built'
)
ENGINE = MergeTree
ORDER BY batch
COMMENT 'Batches that were begun and not published, and why. Readers pass over the builds of days and the lists of files that they left';

CREATE TABLE IF NOT EXISTS batch_progress
(
    batch        UInt64                                   COMMENT 'Number of the batch that is being built',
    noted_at     DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC') COMMENT 'When it was noted, at most once a second',
    done         UInt16                                   COMMENT 'Projections that were done by then',
    projections  UInt16                                   COMMENT 'Projections that the batch consists of'
)
ENGINE = MergeTree
ORDER BY (batch, noted_at)
TTL toDateTime(noted_at) + toIntervalDay(7)
COMMENT 'How far the projector is with a batch; kept for a week';

CREATE TABLE IF NOT EXISTS batch_table
(
    batch  UInt64                 COMMENT 'Batch that wrote the rows; for a file, the first batch that read it',
    table  LowCardinality(String) COMMENT 'Table that holds the rows',
    piece  String                 COMMENT 'What the rows are of: a day (YYYY-MM-DD) in a table of days, a file (sha256) in a table of facts; empty: of the batch as a whole',
    rows   UInt64                 COMMENT 'Rows that the table held of the piece when the batch was published; a fact that arrived twice counts once'
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

CREATE TABLE IF NOT EXISTS retired_batch
(
    batch  UInt64 COMMENT 'Number of a batch whose rows were dropped'
)
ENGINE = MergeTree
ORDER BY batch
COMMENT 'Batches too old to be asked for';

CREATE TABLE IF NOT EXISTS publication
(
    batch         UInt64               COMMENT 'Number of the batch',
    batch_id      String               COMMENT 'Public name of the batch: cutoff, number of its plan, start of the fingerprint',
    published_at  DateTime64(3, 'UTC') COMMENT 'When it was published, by the clock of the projector: calculated_at of batch',
    as_of_date    Nullable(Date)       COMMENT 'Cutoff: the latest complete date; null while no date is complete'
)
ENGINE = ReplacingMergeTree(published_at)
ORDER BY batch
COMMENT 'Every batch that was published, retired ones too, since the first version with this table: read published_batch';

CREATE TABLE IF NOT EXISTS project_command
(
    id        String               COMMENT 'Id of the command, as it stood in the control topic',
    rebuild   Bool                 COMMENT 'Build every day anew',
    asked_at  DateTime64(3, 'UTC') COMMENT 'When the projector received it',
    inspect   Bool DEFAULT false   COMMENT 'Inspect the stored tables, and build only what is found damaged'
)
ENGINE = MergeTree
ORDER BY id
COMMENT 'Commands to build that arrived. One that was received twice has two rows; those that are carried out stand in command_done';

CREATE TABLE IF NOT EXISTS command_done
(
    id       String               COMMENT 'Id of the command, as it stood in the control topic',
    batch    UInt64               COMMENT 'Batch that it led to, published or refused',
    done_at  DateTime64(3, 'UTC') COMMENT 'When that batch was published or refused',
    failure  String DEFAULT ''    COMMENT 'Why the batch was refused by its checks; empty: it was published'
)
ENGINE = MergeTree
ORDER BY id
COMMENT 'Commands to build that were carried out, so that a redelivered one is not carried out twice';

CREATE TABLE IF NOT EXISTS notary_head
(
    origin    String               COMMENT 'Name of the log of batches, as its checkpoints state it',
    size      UInt64               COMMENT 'Leaves that the checkpoint covers',
    root      String               COMMENT 'Root of the Merkle tree over them, base64',
    noted_at  DateTime64(3, 'UTC') COMMENT 'When the checkpoint was signed'
)
ENGINE = ReplacingMergeTree
ORDER BY (origin, size, root)
COMMENT 'Checkpoints of the log of batches that were signed: so a log that was cut or forked is noticed, and two roots are never signed for one size';
