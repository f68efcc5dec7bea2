-- The stored returns of each day.
CREATE OR REPLACE VIEW bulk.returns_daily
(
    series_id                UInt32                           COMMENT 'Id of the series, of a mutual fund or an investment fund',
    date                     Date                             COMMENT 'End of the windows: a day on which any series was quoted',
    currency                 LowCardinality(Nullable(String)) COMMENT 'Currency of the returns, that of the quote at effective_end; null where unknown',
    effective_end            Date                             COMMENT 'Newest quote on or before date, with which all windows end but the last closed month',
    month_currency           LowCardinality(Nullable(String)) COMMENT 'Currency of return_last_closed_month; null where unknown',
    month_effective_end      Nullable(Date)                   COMMENT 'Newest quote on or before the last month end, with which the last closed month ends',
    return_1m                Nullable(Float64)                COMMENT 'Price return of one month in accounting currency, fraction',
    return_3m                Nullable(Float64)                COMMENT 'Price return of three months in accounting currency, fraction',
    return_6m                Nullable(Float64)                COMMENT 'Price return of six months in accounting currency, fraction',
    return_1y                Nullable(Float64)                COMMENT 'Price return of a year in accounting currency, fraction',
    return_ytd               Nullable(Float64)                COMMENT 'Price return of the time since the end of the year before in accounting currency, fraction',
    return_3y_ann            Nullable(Float64)                COMMENT 'Price return of three years, per year in accounting currency, fraction',
    return_5y_ann            Nullable(Float64)                COMMENT 'Price return of five years, per year in accounting currency, fraction',
    return_last_closed_month Nullable(Float64)                COMMENT 'Price return of the last complete month in accounting currency, fraction',
    reason_1m                LowCardinality(Nullable(String)) COMMENT 'Why return_1m is null',
    reason_3m                LowCardinality(Nullable(String)) COMMENT 'Why return_3m is null',
    reason_6m                LowCardinality(Nullable(String)) COMMENT 'Why return_6m is null',
    reason_1y                LowCardinality(Nullable(String)) COMMENT 'Why return_1y is null',
    reason_ytd               LowCardinality(Nullable(String)) COMMENT 'Why return_ytd is null',
    reason_3y_ann            LowCardinality(Nullable(String)) COMMENT 'Why return_3y_ann is null',
    reason_5y_ann            LowCardinality(Nullable(String)) COMMENT 'Why return_5y_ann is null',
    reason_last_closed_month LowCardinality(Nullable(String)) COMMENT 'Why return_last_closed_month is null',
    start_1m                 Nullable(Date)                   COMMENT 'Quote with which return_1m begins',
    start_3m                 Nullable(Date)                   COMMENT 'Quote with which return_3m begins',
    start_6m                 Nullable(Date)                   COMMENT 'Quote with which return_6m begins',
    start_1y                 Nullable(Date)                   COMMENT 'Quote with which return_1y begins',
    start_ytd                Nullable(Date)                   COMMENT 'Quote with which return_ytd begins',
    start_3y_ann             Nullable(Date)                   COMMENT 'Quote with which return_3y_ann begins',
    start_5y_ann             Nullable(Date)                   COMMENT 'Quote with which return_5y_ann begins',
    start_last_closed_month  Nullable(Date)                   COMMENT 'Quote with which return_last_closed_month begins'
)
AS
SELECT
    stored.series_id AS series_id, stored.date AS date, nullIf(stored.currency, '') AS currency, stored.effective_end AS effective_end,
    nullIf(stored.month_currency, '') AS month_currency, stored.month_effective_end AS month_effective_end,
    stored.return_1m AS return_1m, stored.return_3m AS return_3m, stored.return_6m AS return_6m, stored.return_1y AS return_1y,
    stored.return_ytd AS return_ytd, stored.return_3y_ann AS return_3y_ann, stored.return_5y_ann AS return_5y_ann, stored.return_last_closed_month AS return_last_closed_month,
    stored.reason_1m AS reason_1m, stored.reason_3m AS reason_3m, stored.reason_6m AS reason_6m, stored.reason_1y AS reason_1y,
    stored.reason_ytd AS reason_ytd, stored.reason_3y_ann AS reason_3y_ann, stored.reason_5y_ann AS reason_5y_ann, stored.reason_last_closed_month AS reason_last_closed_month,
    stored.start_1m AS start_1m, stored.start_3m AS start_3m, stored.start_6m AS start_6m, stored.start_1y AS start_1y,
    stored.start_ytd AS start_ytd, stored.start_3y_ann AS start_3y_ann, stored.start_5y_ann AS start_5y_ann, stored.start_last_closed_month AS start_last_closed_month
FROM batch_return_day(batch = {batch:UInt64}, from = '1970-01-01', to = '2149-06-06') AS stored
COMMENT 'Price returns of every series on every day, a column for each window. Key: series_id, date.'
