-- +goose Up

-- A program whose statements compute something else than those that built the published
-- batch must build every day again. For batches older than this column the statements are
-- unknown. Their text is empty, which differs from every hash.

ALTER TABLE batch
    ADD COLUMN IF NOT EXISTS rules LowCardinality(String) DEFAULT ''
        COMMENT 'sha256 over the statements that computed the batch, hex; empty where not noted';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
