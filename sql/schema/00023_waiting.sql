-- +goose Up

-- For a command that waits for a batch: how far the batch is, and whether it was refused.

CREATE TABLE IF NOT EXISTS batch_progress
(
    batch        UInt64               COMMENT 'Number of the batch that is being built',
    noted_at     DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC') COMMENT 'When it was noted, at most once a second',
    done         UInt16               COMMENT 'Projections that were done by then',
    projections  UInt16               COMMENT 'Projections that the batch consists of'
)
ENGINE = MergeTree
ORDER BY (batch, noted_at)
TTL toDateTime(noted_at) + INTERVAL 7 DAY
COMMENT 'How far the projector is with a batch; kept for a week';

ALTER TABLE batch_failure
    ADD COLUMN IF NOT EXISTS refused Bool DEFAULT false
        COMMENT 'The batch was built and did not pass its checks: it is built again only once something new arrives. False for a batch that could not be built, and for failures noted before this column';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
