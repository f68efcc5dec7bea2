-- +goose Up

-- A stated cost rate has the file and the line that state it, so that a page finds them by the key of the rate.
-- In batches that were built before they are empty; the next batch has them.

ALTER TABLE tac_month
    ADD COLUMN IF NOT EXISTS dataset LowCardinality(String)
        COMMENT 'Of a stated rate, the dataset of the file that states it: tac-comparator or tac-monthly; empty when computed',
    ADD COLUMN IF NOT EXISTS source_sha256 LowCardinality(String)
        COMMENT 'Hash of that raw file, hex; empty when computed',
    ADD COLUMN IF NOT EXISTS source_line UInt32
        COMMENT 'Line in that raw file, from 1; 0 when computed',
    ADD COLUMN IF NOT EXISTS revision Nullable(DateTime64(3, 'UTC'))
        COMMENT 'When that file was published, else first seen; null when computed';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
