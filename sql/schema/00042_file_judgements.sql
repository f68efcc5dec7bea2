-- +goose Up

-- What ingest found when it compared the shapes of each file with those of the files before it, and what
-- became of the file. A newer judgement of a file replaces the older one as a whole.

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

-- +goose Down
SELECT throwIf(true, 'judgements of files are the record of what persons decided: no way down');
