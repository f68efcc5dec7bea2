-- Total returns of some series at any date, as in total_returns, which computes all series even for
-- a filter by one. This view reads only the histories of the series in the list. All parameters are
-- required.
--   SELECT window, total_return FROM funds.total_returns_of(series = [1161378270], as_of = '2025-06-30', valuation = 'accounting')
--
-- changes: none
CREATE OR REPLACE VIEW funds.total_returns_of
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
    series_id, window, currency, value AS total_return, reason, target_start, target_end, effective_start, effective_end,
    toFloat64OrNull(distribution_multiplier) AS distribution_multiplier, toFloat64OrNull(exchange_multiplier) AS exchange_multiplier
FROM batch_total_return(batch = {batch:UInt64}, as_of = {as_of:Date}, series = {series:Array(UInt32)}, all_series = false, valuation = {valuation:String}) AS returns
WHERE (SELECT throwIf({valuation:String} NOT IN ('accounting', 'clp', 'real_uf'), 'valuation must be accounting, clp or real_uf')) = 0
SETTINGS join_use_nulls = 0
COMMENT 'Total returns of some series at a date: total_returns_of(series = [1161378270], as_of = ''2025-06-30'', valuation = ''accounting''). All parameters are required; valuation is accounting, clp or real_uf. Key: series_id, window.'
