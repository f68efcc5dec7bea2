-- The closed months of each series: returns, costs and risk.
--   SELECT month, price_return, price_return_real, tac FROM funds.monthly WHERE series_id = 1161378270 ORDER BY month
--
-- The price return of a month is the window last_closed_month of the first day of the market
-- on or after the month end.
CREATE OR REPLACE VIEW funds.monthly
(
    series_id           UInt32                           COMMENT 'Id of the series, of a mutual fund or an investment fund',
    month               Date                             COMMENT 'Last day of the closed month',
    currency            LowCardinality(Nullable(String)) COMMENT 'Accounting currency of the month-end quote: PESOS or DOLAR; null where unknown',
    quota_date          Nullable(Date)                   COMMENT 'Day of the month-end quote, the last one of the month; null where it is invalid or over 7 days old',
    equity              Nullable(Float64)                COMMENT 'Equity on the last day of the month with a row, at most 7 days old, full units of currency',
    equity_clp          Nullable(Float64)                COMMENT 'Equity in full pesos; dollars at the official rate of the month end, or the last one of the 7 days before',
    price_return        Nullable(Float64)                COMMENT 'Price return of the month in accounting currency, fraction, of the quotas alone',
    price_return_clp    Nullable(Float64)                COMMENT 'Price return of the month in pesos, fraction',
    price_return_real   Nullable(Float64)                COMMENT 'Price return of the month in pesos beyond the growth of the UF, fraction',
    reason              LowCardinality(Nullable(String)) COMMENT 'Why price_return is null; none_stored where no return of the month is stored',
    reason_clp          LowCardinality(Nullable(String)) COMMENT 'Why price_return_clp is null',
    reason_real         LowCardinality(Nullable(String)) COMMENT 'Why price_return_real is null',
    adjusted_return     Nullable(Float64)                COMMENT 'Return of the month in accounting currency, fraction, adjusted by the factors that the daily file states; null across a break. Volatility and drawdown are made of it',
    tac                 Nullable(Float64)                COMMENT 'Annual cost rate of the month, fraction; null where none is known',
    tac_kind            LowCardinality(Nullable(String)) COMMENT 'synthetic, stated or computed, of tac; rates of different kinds do not compare',
    drawdown            Nullable(Float64)                COMMENT 'Deepest fall below an earlier quote since the month end before, fraction, 0 or less',
    volatility_12m      Nullable(Float64)                COMMENT 'Standard deviation of the last 12 adjusted returns per year, fraction; null unless all are known',
    volatility_36m      Nullable(Float64)                COMMENT 'The same of the last 36, fraction',
    max_drawdown_36m    Nullable(Float64)                COMMENT 'Deepest fall below an earlier quote in 36 months, fraction, 0 or less; null unless all 36 returns are known',
    downside_deviation_36m Nullable(Float64)             COMMENT 'Root of the mean squared negative return of 36 months per year, fraction',
    var_95_1m           Nullable(Float64)                COMMENT '5th percentile of 36 monthly returns, fraction: negative for a loss',
    beta_36m            Nullable(Float64)                COMMENT 'Slope against the returns of the own family in the same currency, number; null without a family index',
    tracking_error_36m  Nullable(Float64)                COMMENT 'Standard deviation of the difference to those per year, fraction; null without a family index',
    risk_score          Nullable(UInt8)                  COMMENT '0 to 100: rank of volatility and drawdown among the series of the month that have both',
    risk_score_series   Nullable(UInt32)                 COMMENT 'Number of series that risk_score ranks: those with both figures, of mutual funds or of investment funds as this one; null without a score',
    risk_score_of_series Nullable(UInt32)                COMMENT 'Number of all series of the kind with a month-end quote; null without a score',
    risk_score_share    Nullable(Float64)                COMMENT 'Share of the equity of all these in pesos (equity_clp) that the ranked ones hold, fraction; null without a score or equity',
    risk_level          LowCardinality(Nullable(String)) COMMENT 'low below 34, medium below 67, else high; null without a score'
)
SQL SECURITY DEFINER AS
SELECT
    months.series_id AS series_id, months.month AS month, nullIf(returns.currency, '') AS currency, months.quote_date AS quota_date,
    toFloat64(months.equity) AS equity, toFloat64(cuota_clp(returns.currency, months.equity, dolar.value)) AS equity_clp,
    returns.price_return AS price_return, returns.price_return_clp AS price_return_clp, returns.price_return_real AS price_return_real,
    returns.day = toDate(0) ? 'none_stored' : returns.reason      AS reason,
    returns.day = toDate(0) ? 'none_stored' : returns.reason_clp  AS reason_clp,
    returns.day = toDate(0) ? 'none_stored' : returns.reason_real AS reason_real,
    months.growth - 1 AS adjusted_return,
    costs.tac AS tac, nullIf(costs.tac_kind, '') AS tac_kind,
    months.drawdown AS drawdown, risk.volatility_annualized_12m AS volatility_12m, risk.volatility_annualized_36m AS volatility_36m,
    risk.max_drawdown_36m AS max_drawdown_36m, risk.downside_deviation_36m AS downside_deviation_36m, risk.var_95_1m AS var_95_1m,
    risk.beta_36m AS beta_36m, risk.tracking_error_36m AS tracking_error_36m, risk.risk_score AS risk_score,
    risk.risk_score_series AS risk_score_series, risk.risk_score_of_series AS risk_score_of_series, risk.risk_score_share AS risk_score_share,
    risk.risk_level AS risk_level
FROM (SELECT * FROM series_month WHERE batch = {batch:UInt64}) AS months
LEFT JOIN (SELECT * FROM risk_month WHERE batch = {batch:UInt64}) AS risk ON risk.series_id = months.series_id AND risk.month = months.month
LEFT JOIN batch_tac_history(batch = {batch:UInt64}, series = [], all_series = true) AS costs ON costs.series_id = months.series_id AND costs.month = months.month
LEFT JOIN
(
    SELECT
        series_id, month, day, currency, price_return, reason,
        if(obstacle_clp IS NULL AND isFinite(raw_clp), raw_clp, NULL)    AS price_return_clp,
        if(obstacle_real IS NULL AND isFinite(raw_real), raw_real, NULL) AS price_return_real,
        if(obstacle_clp IS NULL AND NOT isFinite(raw_clp), 'non_finite_return', obstacle_clp)    AS reason_clp,
        if(obstacle_real IS NULL AND NOT isFinite(raw_real), 'non_finite_return', obstacle_real) AS reason_real
    FROM
    (
        SELECT
            series_id, cuota_closed_month_end(stored.date) AS month, stored.date AS day, month_currency AS currency,
            return_last_closed_month AS price_return, reason_last_closed_month AS reason,
            month_currency = 'DOLAR' AS in_dollars,
            coalesce(reason, cuota_rate_reason(false, in_dollars, month_effective_end, at_end.fx_date, at_end.fx_value, at_end.uf_value,
                                               start_last_closed_month, at_start.fx_date, at_start.fx_value, at_start.uf_value)) AS obstacle_clp,
            coalesce(reason, cuota_rate_reason(true, in_dollars, month_effective_end, at_end.fx_date, at_end.fx_value, at_end.uf_value,
                                               start_last_closed_month, at_start.fx_date, at_start.fx_value, at_start.uf_value)) AS obstacle_real,
            cuota_valued('clp', 1 + price_return, 0, in_dollars, at_start.fx_value, at_end.fx_value, at_start.uf_value, at_end.uf_value)     AS raw_clp,
            cuota_valued('real_uf', 1 + price_return, 0, in_dollars, at_start.fx_value, at_end.fx_value, at_start.uf_value, at_end.uf_value) AS raw_real
        FROM
        (
            SELECT series_id, date, month_currency, return_last_closed_month, reason_last_closed_month, start_last_closed_month, month_effective_end
            FROM return_day
            WHERE (date, build) IN
            (
                SELECT min(date), argMin(newest, date)
                FROM parts.newest_builds(list: return_day_version)
                GROUP BY cuota_closed_month_end(date)
            )
        ) AS stored
        parts.rates_at(side: start; day: stored.start_last_closed_month)
        parts.rates_at(side: end; day: stored.month_effective_end)
    )
) AS returns ON returns.series_id = months.series_id AND returns.month = months.month
LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = months.month
SETTINGS join_use_nulls = 0
COMMENT 'Closed months of every series: returns, equity, costs and risk. Key: series_id, month.'
