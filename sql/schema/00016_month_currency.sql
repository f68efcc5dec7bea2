-- +goose Up

-- A series may have changed its accounting currency since the month closed: the
-- return of that month is in the old one. Of older batches the series' currency is
-- all that is known here; series_return has the window's own.

ALTER TABLE screener
    ADD COLUMN IF NOT EXISTS currency_last_closed_month LowCardinality(Nullable(String)) DEFAULT currency
        COMMENT 'Currency of return_last_closed_month, which the series may have left since; the other windows end in currency'
        AFTER return_last_closed_month;

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
