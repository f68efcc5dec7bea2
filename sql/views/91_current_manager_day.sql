-- manager_day, as the current batch sees it, with the equity in pesos (batch_manager_day).
--   SELECT * FROM current_manager_day WHERE date = '2025-07-18' LIMIT 10
CREATE OR REPLACE VIEW current_manager_day
(
    date          Date                       COMMENT 'Day',
    manager_rut   UInt32                     COMMENT 'RUT of the manager, without check digit',
    currency      LowCardinality(String)     COMMENT 'Accounting currency of the series',
    equity        Decimal(38, 4)             COMMENT 'Equity of its series in that currency, full units of it',
    shareholders  UInt64                     COMMENT 'Partícipes, summed over series: not unique people',
    series        UInt32                     COMMENT 'Series with a quote that day',
    runs          Array(UInt32)              COMMENT 'RUNs of their funds, without check digit, ascending',
    equity_clp    Nullable(Decimal(38, 10)) COMMENT 'equity in full pesos: dollars at the dólar observado of the day or of at most 7 days before; null where it cannot be converted (RULES 8)'
) AS
SELECT date, manager_rut, currency, equity, shareholders, series, runs, equity_clp
FROM batch_manager_day(batch = (SELECT max(batch) FROM batch), from = '1971-01-01', to = '2149-06-06')
