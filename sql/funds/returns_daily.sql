-- Price returns of every series on every day in eight windows, one column for each window.
--   SELECT series_id, return_1y FROM funds.returns_daily WHERE date = '2025-06-30' ORDER BY return_1y DESC LIMIT 10
--
-- changes: days
CREATE OR REPLACE VIEW funds.returns_daily
(
    series_id                 UInt32                           COMMENT 'Id of the series, of a mutual fund or an investment fund',
    date                      Date                             COMMENT 'End of the windows: a day on which any series was quoted',
    currency                  LowCardinality(Nullable(String)) COMMENT 'Currency of the returns, that of the quote at effective_end: PESOS or DOLAR; null where unknown',
    effective_end             Date                             COMMENT 'Newest quote on or before date, with which all windows end but the last closed month',
    month_currency            LowCardinality(Nullable(String)) COMMENT 'Currency of return_last_closed_month: PESOS or DOLAR; null where unknown',
    month_effective_end       Nullable(Date)                   COMMENT 'Newest quote on or before the last month end, with which the last closed month ends',
    return_1m                 Nullable(Float64)                COMMENT 'Price return of one month in accounting currency, fraction',
    return_3m                 Nullable(Float64)                COMMENT 'Price return of three months in accounting currency, fraction',
    return_6m                 Nullable(Float64)                COMMENT 'Price return of six months in accounting currency, fraction',
    return_1y                 Nullable(Float64)                COMMENT 'Price return of a year in accounting currency, fraction',
    return_ytd                Nullable(Float64)                COMMENT 'Price return of the time since the end of the year before in accounting currency, fraction',
    return_3y_ann             Nullable(Float64)                COMMENT 'Price return of three years, per year in accounting currency, fraction',
    return_5y_ann             Nullable(Float64)                COMMENT 'Price return of five years, per year in accounting currency, fraction',
    return_last_closed_month  Nullable(Float64)                COMMENT 'Price return of the last complete month in accounting currency, fraction',
    reason_{window}           LowCardinality(Nullable(String)) COMMENT 'Why return_{window} is null',
    start_{window}            Nullable(Date)                   COMMENT 'Quote with which return_{window} begins'
)
SQL SECURITY DEFINER AS
SELECT
    series_id, date, nullIf(currency, '') AS currency, effective_end, nullIf(month_currency, '') AS month_currency, month_effective_end,
    return_1m, return_3m, return_6m, return_1y, return_ytd, return_3y_ann, return_5y_ann, return_last_closed_month,
    reason_1m, reason_3m, reason_6m, reason_1y, reason_ytd, reason_3y_ann, reason_5y_ann, reason_last_closed_month,
    start_1m, start_3m, start_6m, start_1y, start_ytd, start_3y_ann, start_5y_ann, start_last_closed_month
FROM
(
    SELECT * FROM return_day
    WHERE (date, build) IN parts.newest_builds(list: return_day_version)
)
COMMENT 'Price returns of every series on every day, a column for each window; until 38 days after the newest quote. Key: series_id, date.'
