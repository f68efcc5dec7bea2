-- +goose Up

-- A batch that is retired has no row in batch any more. The moment of its publication is kept,
-- because it says when the files of the batch were seen first.

CREATE TABLE IF NOT EXISTS publication
(
    batch         UInt64               COMMENT 'Number of the batch',
    batch_id      String               COMMENT 'Public name of the batch: cutoff, number, start of the fingerprint',
    published_at  DateTime64(3, 'UTC') COMMENT 'When it was published, by the clock of the projector: calculated_at of batch',
    as_of_date    Nullable(Date)       COMMENT 'Cutoff: the latest complete date; null while no date is complete'
)
ENGINE = ReplacingMergeTree(published_at)
ORDER BY batch
COMMENT 'Every batch that was published, retired ones too, since the first version with this table: read published_batch';

-- +goose Down
SELECT throwIf(true, 'moments of publication are known nowhere else: no way down');
