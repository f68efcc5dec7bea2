-- +goose Up

-- A change of unit that only the rows themselves show is a discontinuity, with the figures that show it.

ALTER TABLE discontinuity
    ADD COLUMN IF NOT EXISTS evidence String
        COMMENT 'What shows it: of unit_change the figures of the two rows, of curated the address of the document; empty for other kinds';

ALTER TABLE discontinuity COMMENT COLUMN kind
    'currency_change; or a known discontinuity: gap (over 31 days), restart (equity 0, then more), adjustment (factor de ajuste not 1), unit_change (the rows show that the quota has another unit, without a factor: RULES 8), curated (an event says so; date is the first day after the break)';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
