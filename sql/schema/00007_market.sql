-- +goose Up

-- The daily market has one row for each series and day, with its changes and how they
-- compare with those of its peers. It is the base of all-funds, market-summary, family
-- indices and rankings. Like series_day, it is rebuilt by complete days: market_day_version lists
-- which batch built which day, and a reader of batch N takes the newest build up to N.

CREATE TABLE IF NOT EXISTS classification
(
    batch           UInt64                           COMMENT 'Batch',
    series_id       UInt32                           COMMENT 'Series id (registry)',
    source          LowCardinality(String)           COMMENT 'comparator: families of the regulator; sheet: category of the association',
    valid_from      Date                             COMMENT 'First day on which the statement counts; it holds until the next one of its source',
    stated_on       Date                             COMMENT 'Date of the file that made the statement first',
    family_rar      LowCardinality(Nullable(String)) COMMENT 'familia_rar: the peer group; null from the sheet',
    family_display  LowCardinality(Nullable(String)) COMMENT 'familia_visualizador; null from the sheet',
    category        LowCardinality(Nullable(String)) COMMENT 'Category by that statement (RULES 6); null while unclassified'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id, source, valid_from)
COMMENT 'What each series was classified as, and since when. Days before the first statement have the first one, with valid_from 1970-01-02 (RULES 7)';

CREATE TABLE IF NOT EXISTS market_day_version
(
    date   Date   COMMENT 'Day whose rows were built',
    build  UInt64 COMMENT 'Batch that built them'
)
ENGINE = MergeTree
ORDER BY (date, build)
COMMENT 'Which batch built which day of market_day, family_day and manager_day';

CREATE TABLE IF NOT EXISTS market_day
(
    date              Date                             COMMENT 'Day of the quote',
    series_id         UInt32                           COMMENT 'Series id (registry)',
    build             UInt64                           COMMENT 'Batch that built this day',
    manager_rut       UInt32                           COMMENT 'RUT of the manager that reported the day, without check digit; 0 when void',
    currency          LowCardinality(String)           COMMENT 'Accounting currency: PESOS, DOLAR, or as written where unknown',
    price             Nullable(Decimal(18, 6))         COMMENT 'Valor cuota, series currency; null when void',
    equity            Nullable(Decimal(18, 4))         COMMENT 'Patrimonio neto, full units of the series currency',
    shareholders      Nullable(UInt32)                 COMMENT 'Partícipes',
    flow              Nullable(Float64)                COMMENT 'Net contribution of the day: quotas contributed less redeemed, at the day''s quota, full units of the series currency',
    previous_date     Nullable(Date)                   COMMENT 'Quote before, at most 7 days older',
    previous_equity   Nullable(Decimal(18, 4))         COMMENT 'Equity on previous_date, full units: the opening equity of the day',
    daily_change      Nullable(Float64)                COMMENT 'Percent points from previous_date, with the factors that the cartola states; null across a break (RULES 7)',
    month_date        Nullable(Date)                   COMMENT 'Quote at one month earlier or at most 7 days before',
    month_equity      Nullable(Decimal(18, 4))         COMMENT 'Equity on month_date, full units: the opening equity of the month',
    monthly_change    Nullable(Float64)                COMMENT 'Percent points from month_date, with the factors that the cartola states; null across a break (RULES 7)',
    family_rar        LowCardinality(Nullable(String)) COMMENT 'familia_rar as of the day',
    family_display    LowCardinality(Nullable(String)) COMMENT 'familia_visualizador as of the day',
    category          LowCardinality(Nullable(String)) COMMENT 'Category as of the day (RULES 6)',
    classified_later  Bool                             COMMENT 'True: no classification is as old as the day; the first later one stands in (RULES 7)',
    daily_outlier     LowCardinality(String)           COMMENT 'Why the daily change stays out of indices and rankings: cap or peers; empty when it does not (RULES 7)',
    monthly_outlier   LowCardinality(String)           COMMENT 'The same for the monthly change',
    spike             Bool                             COMMENT 'Daily move of over 10 % of which at least 80 % came back with the next quote, or that return: both stay out of index history (RULES 7)'
)
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (date, series_id, build)
SETTINGS index_granularity = 1024
COMMENT 'One row per series and day: price, changes, equity, flows, classification, outliers';

CREATE TABLE IF NOT EXISTS family_day
(
    date             Date                             COMMENT 'Day',
    family_rar       LowCardinality(String)           COMMENT 'familia_rar',
    currency         LowCardinality(String)           COMMENT 'PESOS or DOLAR',
    build            UInt64                           COMMENT 'Batch that built this day',
    family_display   LowCardinality(Nullable(String)) COMMENT 'familia_visualizador',
    previous_date    Nullable(Date)                   COMMENT 'Day from which daily_return counts: the last one on which the family was quoted',
    daily_return     Nullable(Float64)                COMMENT 'Mean daily change of the eligible series weighted by opening equity, fraction; null without any',
    chained_return   Nullable(Float64)                COMMENT 'The same without one-day spikes: what the index is chained from, fraction',
    eligible_series  UInt32                           COMMENT 'Series in daily_return',
    monthly_return   Nullable(Float64)                COMMENT 'Mean monthly change weighted by equity at its start, fraction; null without any',
    equity           Decimal(38, 4)                   COMMENT 'Equity of all its series with a quote that day, full units of currency',
    series           UInt32                           COMMENT 'Series with a quote that day',
    funds            UInt32                           COMMENT 'Their funds'
)
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (date, family_rar, currency, build)
COMMENT 'Each family in each currency on each day';

CREATE TABLE IF NOT EXISTS manager_day
(
    date          Date                   COMMENT 'Day',
    manager_rut   UInt32                 COMMENT 'RUT of the manager, without check digit',
    currency      LowCardinality(String) COMMENT 'Accounting currency of the series',
    build         UInt64                 COMMENT 'Batch that built this day',
    equity        Decimal(38, 4)         COMMENT 'Equity of its series in that currency, full units of it',
    shareholders  UInt64                 COMMENT 'Partícipes, summed over series: not unique people',
    series        UInt32                 COMMENT 'Series with a quote that day',
    runs          Array(UInt32)          COMMENT 'RUNs of their funds, without check digit, ascending'
)
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (date, manager_rut, currency, build)
COMMENT 'Each manager in each currency on each day';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
