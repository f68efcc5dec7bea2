-- Files: what has arrived of each, what was rejected, and what ingest found in them.

CREATE TABLE IF NOT EXISTS manifest
(
    parts.file_columns,
    keys        UInt64                 COMMENT 'Distinct keys published: so many facts the file must come to',
    rejected    UInt64                 COMMENT 'Rows rejected'
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (dataset, sha256)
COMMENT 'Files whose rows were all published to Kafka, and what they must come to';

CREATE TABLE IF NOT EXISTS complete_file
(
    parts.file_columns,
    keys        UInt64                 COMMENT 'Distinct keys published',
    rejected    UInt64                 COMMENT 'Rows rejected'
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (dataset, sha256)
COMMENT 'Complete files: every key of the manifest has arrived as a fact. Only these enter a batch';

CREATE TABLE IF NOT EXISTS file_again
(
    sha256  String COMMENT 'Hash of the raw file, hex',
    plan    UInt64 COMMENT 'The last plan when its manifest came again: while it is the last one, the file is planned again'
)
ENGINE = ReplacingMergeTree(plan)
ORDER BY sha256
COMMENT 'Files that came again after a plan had them, and before a batch with them was published: their batch may be refused, and then is tried again';

CREATE TABLE IF NOT EXISTS rejected_row
(
    dataset        LowCardinality(String)                   COMMENT 'Dataset of the file',
    source_sha256  LowCardinality(String)                   COMMENT 'Hash of the raw file, hex',
    source_line    UInt32                                   COMMENT 'Line in the raw file, from 1',
    revision       DateTime64(3, 'UTC')                     COMMENT 'When the source was published, else first seen',
    file           String                                   COMMENT 'Base name of the file',
    reason         String                                   COMMENT 'What was wrong, for whoever mends the file',
    raw            String                                   COMMENT 'The row as it came, cut to 4 KiB',
    arrived_at     DateTime('UTC') DEFAULT toDateTime(revision, 'UTC') COMMENT 'When the row came last: of the rows of complete files the newest 100,000 are kept (outdated_reject)'
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (dataset, source_sha256, source_line)
COMMENT 'Rows that did not pass at ingest, the newest 100,000; nothing is dropped silently: manifest counts all of them';

CREATE TABLE IF NOT EXISTS file_judgement
(
    dataset           LowCardinality(String)        COMMENT 'Dataset of the file',
    sha256            String                        COMMENT 'Hash of the raw file, hex',
    revision          DateTime64(3, 'UTC')          COMMENT 'When the source was published, else first seen',
    file              String                        COMMENT 'Base name of the file',
    state             LowCardinality(String)        COMMENT 'taken; quarantined: not published until a person accepts it; accepted; declined: a person refused it',
    judged_at         DateTime64(3, 'UTC')          COMMENT 'When the state began, by the clock of ingest',
    compared_with     String                        COMMENT 'Hash of the newest file before it that it was compared with; empty: none',
    finding_kind      Array(LowCardinality(String)) COMMENT 'Of each finding: in what the file differs, as new_word or fewer_decimals',
    finding_column    Array(String)                 COMMENT 'Of each finding: the column; empty: the file as a whole',
    finding_before    Array(String)                 COMMENT 'Of each finding: what the files before it have, or what its name says',
    finding_now       Array(String)                 COMMENT 'Of each finding: what the file has',
    finding_line      Array(UInt32)                 COMMENT 'Of each finding: the first line that shows it; 0: no single one',
    finding_at_stake  Array(Bool)                   COMMENT 'Of each finding: wrong figures might be computed from the column'
)
ENGINE = ReplacingMergeTree(judged_at)
ORDER BY (dataset, sha256)
COMMENT 'How the shapes of each file compare with those of the files before it, and what became of it: read file_finding';

CREATE TABLE IF NOT EXISTS freshness_objective
(
    dataset  LowCardinality(String) COMMENT 'Dataset',
    period   LowCardinality(String) COMMENT 'How long the days are that a publication is about: day, month or quarter; none: nothing is expected',
    days     UInt32                 COMMENT 'Days after the end of a period until its data should be here',
    set_at   DateTime64(3, 'UTC')   COMMENT 'When the projector wrote the row'
)
ENGINE = ReplacingMergeTree(set_at)
ORDER BY dataset
COMMENT 'By when the next data of each dataset should be here, as the projector is set: read dataset_due';
