-- Managers by day, with the equity of their mutual funds.
--   SELECT manager, sum(equity_clp) FROM funds.manager_daily WHERE date = '2025-07-20' GROUP BY manager ORDER BY 2 DESC
CREATE OR REPLACE VIEW funds.manager_daily
(
    manager_id    UInt32                 COMMENT 'Id of the manager',
    currency      LowCardinality(String) COMMENT 'Accounting currency of the series: PESOS, DOLAR, or as written where unknown',
    date          Date                   COMMENT 'Day',
    manager       String                 COMMENT 'Name of the manager',
    equity        Float64                COMMENT 'Equity of its series in currency, full units of it; a series without a row counts with its last one of the 7 days before',
    equity_clp    Nullable(Float64)      COMMENT 'Equity in full pesos; dollars at the official rate of the day, or the last one of the 7 days before',
    shareholders  UInt64                 COMMENT 'Number of investors, summed over series: not unique people',
    series        UInt32                 COMMENT 'Number of series that count in equity',
    funds         UInt32                 COMMENT 'Number of their funds'
)
SQL SECURITY DEFINER AS
SELECT
    managers.manager_id AS manager_id, days.currency AS currency, days.date AS date, managers.name AS manager,
    toFloat64(days.equity) AS equity, toFloat64(days.equity_clp) AS equity_clp, days.shareholders AS shareholders, days.series AS series,
    length(days.runs) AS funds
FROM batch_manager_day(batch = {batch:UInt64}, from = '1970-01-01', to = '2149-06-06') AS days
INNER JOIN (parts.managers_with_rut) AS managers ON managers.manager_rut = days.manager_rut
COMMENT 'Managers by day, in each currency: equity and investors of their mutual funds. Key: manager_id, currency, date.'
