-- +goose Up

-- A program whose statements compute something else than those that built the
-- published batch must build every day anew. Of batches before this column the
-- statements are not known: the empty text differs from any.

ALTER TABLE batch
    ADD COLUMN IF NOT EXISTS rules LowCardinality(String) DEFAULT ''
        COMMENT 'sha256 over the statements that computed the batch, hex; empty where not noted';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
