-- +goose Up

-- The windows of every series on every day, so that a past date is read and not computed.
-- Both tables are built by complete days, like series_day.

CREATE TABLE IF NOT EXISTS return_day_version
(
    date   Date   COMMENT 'Day whose rows were built',
    build  UInt64 COMMENT 'Batch that built them'
)
ENGINE = MergeTree
ORDER BY (date, build)
COMMENT 'Which batch built which day of standing_quote and return_day, superseded ones too. Holds superseded days: read current_standing_quote or current_return_day';

CREATE TABLE IF NOT EXISTS standing_quote
(
    date             Date                     COMMENT 'Day with a quote of any series',
    series_id        UInt32                   COMMENT 'Series id (registry)',
    build            UInt64                   COMMENT 'Batch that built this day',
    quote_date       Date                     COMMENT 'Day of the newest quote of the series on or before date, however old',
    quota            Nullable(Decimal(18, 6)) COMMENT 'Valor cuota of that day in currency; null when the row was rejected, which is an invalid quote (RULES 1)',
    currency         LowCardinality(String)   COMMENT 'Accounting currency of the quote: PESOS, DOLAR, or as written where unknown; empty when the row was rejected',
    stated_currency  LowCardinality(String)   COMMENT 'Currency of the newest quote on or before date that states one'
)
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (date, series_id, build)
COMMENT 'The newest quote of each series on each day, from which its windows begin and end. Holds superseded days: read current_standing_quote';

CREATE TABLE IF NOT EXISTS return_day
(
    date                      Date                             COMMENT 'End of the windows: a day with a quote of any series',
    series_id                 UInt32                           COMMENT 'Series id (registry)',
    build                     UInt64                           COMMENT 'Batch that built this day',
    effective_end             Date                             COMMENT 'Newest quote on or before date, with which all windows end but the last closed month',
    currency                  LowCardinality(String)           COMMENT 'Currency of that quote and of the returns: PESOS, DOLAR, or empty where unknown',
    stated_currency           LowCardinality(String)           COMMENT 'Currency of the newest quote on or before date that states one: PESOS, DOLAR, or as written where unknown',
    month_effective_end       Nullable(Date)                   COMMENT 'Newest quote on or before the last month end, with which the last closed month ends',
    month_currency            LowCardinality(String)           COMMENT 'Currency of that quote and of return_last_closed_month: PESOS, DOLAR, or empty where unknown',
    return_1m                 Nullable(Float64)                COMMENT 'Price return of one month in accounting currency, fraction (RULES 1)',
    return_3m                 Nullable(Float64)                COMMENT 'The same of three months, fraction',
    return_6m                 Nullable(Float64)                COMMENT 'The same of six months, fraction',
    return_1y                 Nullable(Float64)                COMMENT 'The same of a year, fraction',
    return_ytd                Nullable(Float64)                COMMENT 'The same since the end of the year before, fraction',
    return_3y_ann             Nullable(Float64)                COMMENT 'The same of three years, fraction per year',
    return_5y_ann             Nullable(Float64)                COMMENT 'The same of five years, fraction per year',
    return_last_closed_month  Nullable(Float64)                COMMENT 'The same of the last complete month, fraction',
    reason_1m                 LowCardinality(Nullable(String)) COMMENT 'Why return_1m is null, the first that applies (RULES 1)',
    reason_3m                 LowCardinality(Nullable(String)) COMMENT 'Why return_3m is null',
    reason_6m                 LowCardinality(Nullable(String)) COMMENT 'Why return_6m is null',
    reason_1y                 LowCardinality(Nullable(String)) COMMENT 'Why return_1y is null',
    reason_ytd                LowCardinality(Nullable(String)) COMMENT 'Why return_ytd is null',
    reason_3y_ann             LowCardinality(Nullable(String)) COMMENT 'Why return_3y_ann is null',
    reason_5y_ann             LowCardinality(Nullable(String)) COMMENT 'Why return_5y_ann is null',
    reason_last_closed_month  LowCardinality(Nullable(String)) COMMENT 'Why return_last_closed_month is null',
    start_1m                  Nullable(Date)                   COMMENT 'Quote with which return_1m begins: the newest on or before its target date',
    start_3m                  Nullable(Date)                   COMMENT 'The same of return_3m',
    start_6m                  Nullable(Date)                   COMMENT 'The same of return_6m',
    start_1y                  Nullable(Date)                   COMMENT 'The same of return_1y',
    start_ytd                 Nullable(Date)                   COMMENT 'The same of return_ytd',
    start_3y_ann              Nullable(Date)                   COMMENT 'The same of return_3y_ann',
    start_5y_ann              Nullable(Date)                   COMMENT 'The same of return_5y_ann',
    start_last_closed_month   Nullable(Date)                   COMMENT 'The same of return_last_closed_month'
)
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (date, series_id, build)
SETTINGS index_granularity = 1024
COMMENT 'Price returns of every series on every day, from its first quote until 38 days after its newest: later no window has a value. Holds superseded days: read current_return_day';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
