-- +goose Up

-- A series may have changed its accounting currency after the month closed. The return of
-- that month is then in the old currency. For older batches, only the currency of the
-- series is known here. series_return has the currency of the window itself.

ALTER TABLE screener
    ADD COLUMN IF NOT EXISTS currency_last_closed_month LowCardinality(Nullable(String)) DEFAULT currency
        COMMENT 'Currency of return_last_closed_month, which the series may have left since; the other windows end in currency'
        AFTER return_last_closed_month;

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
