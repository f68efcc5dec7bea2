-- Price returns of every series on every day, one row for each window, in accounting
-- currency, in pesos and beyond the growth of the UF.
--   SELECT window, price_return, price_return_real FROM funds.returns_daily_long WHERE series_id = 1161378270 AND date = '2025-06-30'
--
-- changes: none
CREATE OR REPLACE VIEW funds.returns_daily_long
(
    series_id          UInt32                           COMMENT 'Id of the series, of a mutual fund or an investment fund',
    date               Date                             COMMENT 'End of the windows: a day on which any series was quoted',
    window             LowCardinality(String)           COMMENT '1m, 3m, 6m, 1y, ytd, 3y_ann, 5y_ann or last_closed_month',
    currency           LowCardinality(Nullable(String)) COMMENT 'Currency of price_return: PESOS or DOLAR; null without one',
    price_return       Nullable(Float64)                COMMENT 'Price return in accounting currency, fraction; 3y_ann and 5y_ann per year',
    price_return_clp   Nullable(Float64)                COMMENT 'Price return in pesos, fraction; dollars at the official rates of both quotes',
    price_return_real  Nullable(Float64)                COMMENT 'Price return in pesos beyond the growth of the UF, fraction',
    reason             LowCardinality(Nullable(String)) COMMENT 'Why price_return is null',
    reason_clp         LowCardinality(Nullable(String)) COMMENT 'Why price_return_clp is null',
    reason_real        LowCardinality(Nullable(String)) COMMENT 'Why price_return_real is null',
    target_start       Date                             COMMENT 'Start that the window asks for',
    target_end         Date                             COMMENT 'End that the window asks for',
    effective_start    Nullable(Date)                   COMMENT 'Quote with which the return begins: the newest on or before target_start',
    effective_end      Nullable(Date)                   COMMENT 'Quote with which the return ends: the newest on or before target_end'
)
SQL SECURITY DEFINER AS
SELECT
    series_id, date, window, currency,
    price_return,
    if(obstacle_clp IS NULL AND isFinite(raw_clp), raw_clp, NULL)                        AS price_return_clp,
    if(obstacle_real IS NULL AND isFinite(raw_real), raw_real, NULL)                     AS price_return_real,
    reason,
    if(obstacle_clp IS NULL AND NOT isFinite(raw_clp), 'non_finite_return', obstacle_clp)    AS reason_clp,
    if(obstacle_real IS NULL AND NOT isFinite(raw_real), 'non_finite_return', obstacle_real) AS reason_real,
    target_start, target_end, effective_start, effective_end
FROM
(
    SELECT
        returns.* EXCEPT (value), returns.value AS price_return,
        transform(window, ['3y_ann', '5y_ann'], [3, 5], 0) AS years,
        years = 0 ? 1 + price_return : pow(1 + price_return, years) AS multiple,
        ifNull(currency = 'DOLAR', false) AS in_dollars,
        coalesce(reason, cuota_rate_reason(false, in_dollars, effective_end, at_end.fx_date, at_end.fx_value, at_end.uf_value,
                                           effective_start, at_start.fx_date, at_start.fx_value, at_start.uf_value)) AS obstacle_clp,
        coalesce(reason, cuota_rate_reason(true, in_dollars, effective_end, at_end.fx_date, at_end.fx_value, at_end.uf_value,
                                           effective_start, at_start.fx_date, at_start.fx_value, at_start.uf_value)) AS obstacle_real,
        cuota_valued('clp', multiple, years, in_dollars, at_start.fx_value, at_end.fx_value, at_start.uf_value, at_end.uf_value)     AS raw_clp,
        cuota_valued('real_uf', multiple, years, in_dollars, at_start.fx_value, at_end.fx_value, at_start.uf_value, at_end.uf_value) AS raw_real
    FROM batch_stored_return(batch = {batch:UInt64}, from = '1970-01-01', to = '2149-06-06') AS returns
    parts.rates_at(side: start; day: returns.effective_start)
    parts.rates_at(side: end; day: returns.effective_end)
)
SETTINGS join_use_nulls = 0
COMMENT 'Price returns of every series on every day, a row for each window; until 38 days after the newest quote. Key: series_id, date, window.'
