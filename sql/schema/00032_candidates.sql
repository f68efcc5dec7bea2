-- +goose Up

-- The series of each day in one row, so that a backtest reads those of many days at once. Reading their rows of
-- market_day takes about five times as long (decisions/0057). It is built by days of the market, like market_day.

CREATE TABLE IF NOT EXISTS candidate_day
(
    date              Date                                         COMMENT 'Day with a row of any series',
    build             UInt64                                       COMMENT 'Batch that built this day',
    series_ids        Array(UInt32)                                COMMENT 'Series with a row that stands on the day, alive or closed, by ascending id (registry)',
    void_ids          Array(UInt32)                                COMMENT 'Those of them whose row is void: it was rejected, so it has no quote',
    dollar_ids        Array(UInt32)                                COMMENT 'Those of them in DOLAR',
    unknown_ids       Array(UInt32)                                COMMENT 'Those of them whose currency is neither PESOS nor DOLAR',
    earlier           Array(Tuple(series_id UInt32, date Date))    COMMENT 'Those of them whose row is of an earlier day, with that day, at most 7 days before'
)
ENGINE = MergeTree
ORDER BY (date, build)
SETTINGS index_granularity = 8
COMMENT 'The series with a row that stands on each day, void or not, as lists, from which backtests take their candidates (docs/backtests.md, section 3). Holds superseded days: read current_candidate_day';

ALTER TABLE market_day_version MODIFY COMMENT 'Which batch built which day of market_day, candidate_day, family_day and manager_day, superseded ones too. Holds superseded days: read current_market_day, current_candidate_day, current_family_day or current_manager_day, which take the newest build of each day';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
