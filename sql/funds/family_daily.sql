-- Families of mutual funds by day.
--   SELECT date, equity_clp, daily_return FROM funds.family_daily WHERE family = 'Balanceado moderado' AND currency = 'PESOS' ORDER BY date
CREATE OR REPLACE VIEW funds.family_daily
(
    family           LowCardinality(String)           COMMENT 'Peer group of the regulator, as its series were classified on the day',
    currency         LowCardinality(String)           COMMENT 'Accounting currency of its series: PESOS or DOLAR',
    date             Date                             COMMENT 'Day',
    family_display   LowCardinality(Nullable(String)) COMMENT 'Coarser group of the regulator (familia_visualizador)',
    equity           Float64                          COMMENT 'Equity of its series on the day, full units of currency; a series without a row counts with its last one of the 7 days before',
    equity_clp       Nullable(Float64)                COMMENT 'Equity in full pesos; dollars at the official rate of the day, or the last one of the 7 days before',
    series           UInt32                           COMMENT 'Number of series that count in equity',
    funds            UInt32                           COMMENT 'Number of their funds',
    previous_date    Nullable(Date)                   COMMENT 'Last day before on which the family was quoted, at most 7 days earlier, from which daily_return counts',
    daily_return     Nullable(Float64)                COMMENT 'Mean change of its series since previous_date, weighted by equity, without outliers, fraction; null if fewer than three series of two funds give it, or series with less than half of the equity',
    eligible_series  UInt32                           COMMENT 'Number of series whose change is known and no outlier, also where daily_return is null',
    eligible_share   Nullable(Float64)                COMMENT 'Their share of equity, fraction; null where equity is 0',
    month_return     Nullable(Float64)                COMMENT 'Mean change since one month earlier, weighted by equity at its start, without outliers, fraction; null as daily_return is',
    month_series     UInt32                           COMMENT 'Number of series whose monthly change is known and no outlier, also where month_return is null',
    month_share      Nullable(Float64)                COMMENT 'Their share of equity, fraction; null where equity is 0'
)
SQL SECURITY DEFINER AS
SELECT
    days.family_rar AS family, days.currency AS currency, days.date AS date, days.family_display AS family_display,
    toFloat64(days.equity) AS equity, toFloat64(cuota_clp(days.currency, days.equity, dolar.value)) AS equity_clp,
    days.series AS series, days.funds AS funds, days.previous_date AS previous_date, days.daily_return AS daily_return,
    days.eligible_series AS eligible_series, days.eligible_share AS eligible_share, days.monthly_return AS month_return,
    days.monthly_series AS month_series, days.monthly_share AS month_share
FROM batch_family_day(batch = {batch:UInt64}, from = '1970-01-01', to = '2149-06-06') AS days
LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = days.date
SETTINGS join_use_nulls = 0
COMMENT 'Families of mutual funds by day, in each currency. Key: family, currency, date.'
