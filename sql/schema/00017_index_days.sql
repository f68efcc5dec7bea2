-- +goose Up

-- A day on which no series of a family counts is not an index date. The next index date
-- chains over it, to an index date at most seven days before (RULES 7). Which days are
-- index dates depends on all earlier days, so they are found again for each batch. The
-- values of a day are kept by builds, like the rest of the market.

ALTER TABLE market_day
    ADD COLUMN IF NOT EXISTS spikes   Bool COMMENT 'The quote is a spike: a daily move of over 10 % of which at least 80 % came back with the next quote' AFTER spike,
    ADD COLUMN IF NOT EXISTS unspikes Bool COMMENT 'The quote before is a spike, from which this one comes back' AFTER spikes,
    COMMENT COLUMN currency 'Accounting currency: PESOS, DOLAR, or as written where unknown; of a void row that of the quote before, at most 31 days older, else empty',
    COMMENT COLUMN previous_date 'Quote before, at most 7 days older; void rows are passed over (RULES 7)',
    COMMENT COLUMN daily_change 'Percent points from previous_date, with the factors that the cartola states; null of a void row and across a break (RULES 7)',
    COMMENT COLUMN month_date 'Last quote at one month earlier or at most 7 days before; void rows are passed over (RULES 7)',
    COMMENT COLUMN monthly_change 'Percent points from month_date, with the factors that the cartola states; null of a void row and across a break (RULES 7)',
    COMMENT COLUMN spike 'spikes or unspikes: the daily change stays out of index history (RULES 7)';

ALTER TABLE family_day
    ADD COLUMN IF NOT EXISTS quoted UInt32 DEFAULT series COMMENT 'Of the series, those with a quote on the very day',
    COMMENT COLUMN previous_date 'Last day before on which the family was quoted in the currency, at most 7 days earlier; it need not be an index date (index_day)',
    COMMENT COLUMN daily_return 'Mean change since previous_date of the eligible series, weighted by equity on previous_date, fraction; null without any',
    COMMENT COLUMN chained_return 'The same without one-day spikes: the step of the index where it chains to previous_date, fraction';

CREATE TABLE IF NOT EXISTS family_long_step
(
    date           Date                   COMMENT 'Day to which the step leads',
    family_rar     LowCardinality(String) COMMENT 'familia_rar',
    currency       LowCardinality(String) COMMENT 'PESOS or DOLAR',
    build          UInt64                 COMMENT 'Batch that built this day',
    previous_date  Date                   COMMENT 'Day from which the step leads, at most 7 days earlier',
    changes        Array(Tuple(series_id UInt32, equity Float64, change Float64, spike Bool))
                                          COMMENT 'Series that count: equity on previous_date in full units of currency, change since then as a fraction, whether the quote of either day is a spike, which the index leaves out'
)
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (date, family_rar, currency, previous_date, build)
COMMENT 'Steps of families over days between, where the next day on which the family was quoted gave its index no point. Most days have none (RULES 7)';

CREATE TABLE IF NOT EXISTS index_day
(
    batch          UInt64                 COMMENT 'Batch',
    family_rar     LowCardinality(String) COMMENT 'familia_rar',
    currency       LowCardinality(String) COMMENT 'PESOS or DOLAR',
    date           Date                   COMMENT 'Day on which the family was quoted in the currency',
    opening_date   Nullable(Date)         COMMENT 'Day since which market-summary counts the change of this day: the previous index date as it was known on this day, when no spike of it could be; null where no series counts',
    previous_date  Nullable(Date)         COMMENT 'Previous index date, at most 7 days earlier; null on the base of 100, where the level carries on after a longer gap, and on a day that is no index date',
    step           Nullable(Float64)      COMMENT 'Change of the index since previous_date, fraction; null where that is',
    value          Nullable(Float64)      COMMENT 'Level of the index, 100 on its base; null on a day that is no index date'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, family_rar, currency, date)
COMMENT 'Indices of families by day, and which days are index dates (RULES 7)';

-- Until the next batch is published, the published one is answered from the steps that its
-- build knew.
-- Removes rows that an interrupted run of this migration has left.
TRUNCATE TABLE index_day;
INSERT INTO index_day (batch, family_rar, currency, date, opening_date, previous_date, step, value)
WITH (SELECT max(batch) FROM batch) AS newest
SELECT
    newest, family_rar, currency, date,
    if(daily_return IS NULL, NULL, previous_date),
    if(is_first OR chained_return IS NULL, NULL, previous_date),
    if(is_first, NULL, chained_return),
    if(is_first OR chained_return IS NOT NULL,
       100 * exp(sum(if(is_first, 0, log1p(ifNull(chained_return, 0)))) OVER (PARTITION BY family_rar, currency ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)),
       NULL)
FROM
(
    SELECT *, row_number() OVER (PARTITION BY family_rar, currency ORDER BY date) = 1 AS is_first
    FROM family_day
    WHERE (date, build) IN (SELECT date, max(build) FROM market_day_version WHERE build <= (SELECT max(batch) FROM batch) GROUP BY date)
);

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
