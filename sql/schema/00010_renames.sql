-- +goose Up

-- A renamed series is one series. Every name that it has or had finds it, and its rows have
-- the id of its newest name (RULES 1 and 12).

CREATE TABLE IF NOT EXISTS series_rename
(
    batch               UInt64                 COMMENT 'Batch',
    run                 UInt32                 COMMENT 'Fund RUN without check digit',
    previous_serie      LowCardinality(String) COMMENT 'Name that the series gave up',
    current_serie       LowCardinality(String) COMMENT 'Name that the series took',
    first_current_date  Date                   COMMENT 'First day under the new name',
    reason              LowCardinality(String) COMMENT 'Why it is not applied: several_previous (two names become this one), cycle, chain_too_long (over 32 renames), dates_out_of_order, unknown_series (neither name was ever quoted), both_quoted (the two lived side by side: not one series); empty when it is applied'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, run, previous_serie)
COMMENT 'Every rename that the files of a batch state, corrections resolved, and whether it is applied';

CREATE TABLE IF NOT EXISTS series_label
(
    batch        UInt64                 COMMENT 'Batch',
    series_id    UInt32                 COMMENT 'Series id (registry): that of the newest name',
    label_id     UInt32                 COMMENT 'Id of this name (registry); finds the series like series_id',
    run          UInt32                 COMMENT 'Fund RUN without check digit',
    serie        LowCardinality(String) COMMENT 'Name',
    position     UInt8                  COMMENT '1 for the newest name, 2 for the one before …',
    valid_from   Date                   COMMENT 'First day under this name; 1970-01-01 for the first one',
    valid_until  Date                   COMMENT 'Last day under this name; 2149-06-06 for the newest one'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, label_id)
COMMENT 'The names of renamed series. Series that never changed their name have no row: see batch_series_name';

ALTER TABLE series
    ADD COLUMN IF NOT EXISTS previous_serie     Nullable(String) COMMENT 'Name before the newest rename; null without a rename',
    ADD COLUMN IF NOT EXISTS current_serie      Nullable(String) COMMENT 'Name since the newest rename, which may lie after the cutoff; null without a rename',
    ADD COLUMN IF NOT EXISTS first_current_date Nullable(Date)   COMMENT 'First day under current_serie; null without a rename',
    ADD COLUMN IF NOT EXISTS alias_ids          Array(UInt32)    COMMENT 'Ids that find the series, that of the newest name first; empty without a rename',
    COMMENT COLUMN serie 'Series name at the cutoff';

ALTER TABLE screener
    ADD COLUMN IF NOT EXISTS previous_serie     Nullable(String) COMMENT 'Name before the newest rename; null without a rename',
    ADD COLUMN IF NOT EXISTS current_serie      Nullable(String) COMMENT 'Name since the newest rename, which may lie after the cutoff; null without a rename',
    ADD COLUMN IF NOT EXISTS first_current_date Nullable(Date)   COMMENT 'First day under current_serie; null without a rename',
    ADD COLUMN IF NOT EXISTS alias_ids          Array(UInt32)    COMMENT 'Ids that find the series, that of the newest name first; empty without a rename',
    COMMENT COLUMN serie 'Series name at the cutoff';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
