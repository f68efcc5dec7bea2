-- +goose Up

-- By when the next data of each dataset should be here. The projector writes its settings when it starts.

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

-- +goose Down
SELECT throwIf(true, 'the objectives are written by the program, not by a migration');
