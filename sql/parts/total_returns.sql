-- The columns of total_returns and total_returns_of.
(
    series_id                UInt32                           COMMENT 'Id of the series, of a mutual fund or an investment fund',
    window                   LowCardinality(String)           COMMENT '1m, 3m, 6m, 1y, ytd, 3y_ann, 5y_ann or last_closed_month',
    currency                 LowCardinality(Nullable(String)) COMMENT 'PESOS or DOLAR, UF for real_uf; null without a return',
    total_return             Nullable(Float64)                COMMENT 'Return with distributions reinvested, fraction; 3y_ann and 5y_ann per year. Null for most series, because every day of the window needs a verified factor: see adjusted_return of monthly and reinvested_return of reconciliation',
    reason                   LowCardinality(Nullable(String)) COMMENT 'Why total_return is null, as in missing_factor_coverage: not every day has a verified factor',
    target_start             Date                             COMMENT 'Start that the window asks for',
    target_end               Date                             COMMENT 'End that the window asks for',
    effective_start          Nullable(Date)                   COMMENT 'Quote with which the return begins: the newest on or before target_start',
    effective_end            Nullable(Date)                   COMMENT 'Quote with which the return ends: the newest on or before target_end',
    distribution_multiplier  Nullable(Float64)                COMMENT 'Factor by which reinvested distributions multiply the return; null without a return',
    exchange_multiplier      Nullable(Float64)                COMMENT 'Factor by which exchanges multiply the number of quotas; null without a return'
)
SQL SECURITY DEFINER AS
SELECT
    series_id, window, currency, value AS total_return, reason,
    target_start, target_end, effective_start, effective_end,
    toFloat64OrNull(distribution_multiplier) AS distribution_multiplier,
    toFloat64OrNull(exchange_multiplier) AS exchange_multiplier
