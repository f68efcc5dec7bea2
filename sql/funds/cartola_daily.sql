-- What the daily file of the regulator states of each series and day, corrections resolved.
-- Its rows are ordered by series, so that one series is read fastest here.
--   SELECT date, units_contributed, units_redeemed FROM funds.cartola_daily WHERE series_id = 1161378270 ORDER BY date
--
-- changes: days
CREATE OR REPLACE VIEW funds.cartola_daily
(
    series_id            UInt32                           COMMENT 'Id of the series',
    date                 Date                             COMMENT 'Day of the row',
    manager_rut          Nullable(String)                 COMMENT 'RUT of the manager that reported the day, with check digit; null where the row was rejected',
    currency             LowCardinality(Nullable(String)) COMMENT 'Accounting currency: PESOS, DOLAR, or as written where unknown; null where the row was rejected',
    quota                Nullable(Float64)                COMMENT 'Value of one quota, in currency; null where the row was rejected',
    equity               Nullable(Float64)                COMMENT 'Equity of the series, full units of currency',
    shareholders         Nullable(UInt64)                 COMMENT 'Number of investors',
    units_outstanding    Nullable(Float64)                COMMENT 'Quotas in circulation, number of quotas',
    units_contributed    Nullable(Float64)                COMMENT 'Quotas contributed on the day, number of quotas',
    units_redeemed       Nullable(Float64)                COMMENT 'Quotas redeemed on the day, number of quotas',
    costs                Nullable(Float64)                COMMENT 'Fixed and variable fee, affected and unaffected expenses of the day, full units of currency',
    invested_in_funds    Nullable(Float64)                COMMENT 'What the whole fund has in other funds, as the file states it on each of its series, full units of currency; do not add it up over series',
    distribution_factor  Nullable(Float64)                COMMENT 'Factor of a distribution: (quota + payment) / quota; null where none is stated, which means 1',
    adjustment_factor    Nullable(Float64)                COMMENT 'Factor of a change of the quota''s unit, as in a split; null where none is stated, which means 1'
)
SQL SECURITY DEFINER AS
SELECT
    series_id, date, manager_rut = 0 ? NULL : cuota_rol(manager_rut) AS manager_rut, nullIf(currency, '') AS currency,
    toFloat64(quota) AS quota, toFloat64(equity) AS equity, shareholders,
    toFloat64(units_outstanding) AS units_outstanding, toFloat64(units_contributed) AS units_contributed, toFloat64(units_redeemed) AS units_redeemed,
    toFloat64(costs) AS costs, toFloat64(invested_in_funds) AS invested_in_funds, toFloat64(distribution_factor) AS distribution_factor, toFloat64(adjustment_factor) AS adjustment_factor
FROM
(
    SELECT * FROM series_day
    WHERE (date, build) IN parts.newest_builds(list: series_day_version)
)
COMMENT 'Rows of the daily file (cartola) by series and day, corrections resolved. Key: series_id, date.'
