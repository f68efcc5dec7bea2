-- +goose Up

-- A row may stand for its series on up to seven later days. If a classification comes into force meanwhile, the
-- series is in another family on those days (RULES 7). In days that were built before, the list is empty; a program
-- with these rules builds every day anew.

ALTER TABLE market_day
    ADD COLUMN IF NOT EXISTS restated Array(Tuple(since Date, family_rar String, family_display String, category String, classified_later Bool))
        COMMENT 'Classifications that come into force while the row stands on later days, by the first of these days: family_rar, family_display and category, empty where they are not known, and classified_later from that day on. Nearly always empty'
        AFTER classified_later;

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
