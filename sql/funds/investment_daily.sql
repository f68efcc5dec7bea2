-- Book values of the series of investment funds by day.
--   SELECT date, book_value FROM funds.investment_daily WHERE series_id = 3084262834 ORDER BY date
--
-- changes: days
CREATE OR REPLACE VIEW funds.investment_daily
(
    series_id       UInt32                           COMMENT 'Id of the series',
    date            Date                             COMMENT 'Day of the values',
    currency        LowCardinality(Nullable(String)) COMMENT 'Accounting currency: PESOS, DOLAR, or as written where unknown',
    book_value      Nullable(Float64)                COMMENT 'Value of one quota in the books, in currency; never a market price; null where the row was rejected',
    economic_value  Nullable(Float64)                COMMENT 'Appraised value of one quota, in currency; null where it was not appraised',
    equity          Nullable(Float64)                COMMENT 'Equity of the series, full units of currency',
    equity_clp      Nullable(Float64)                COMMENT 'Equity in full pesos; dollars at the official rate of the day, or the last one of the 7 days before',
    total_assets    Nullable(Float64)                COMMENT 'Total assets as stated, full units of currency',
    contributors    Nullable(UInt32)                 COMMENT 'Number of investors',
    institutional   Nullable(UInt32)                 COMMENT 'Number of these that are institutions',
    agency          LowCardinality(Nullable(String)) COMMENT 'Agency as written; null when none'
)
SQL SECURITY DEFINER AS
SELECT
    days.series_id AS series_id, days.date AS date, nullIf(days.currency, '') AS currency,
    toFloat64(days.book_value) AS book_value, toFloat64(days.economic_value) AS economic_value,
    toFloat64(days.equity) AS equity, toFloat64(cuota_clp(days.currency, days.equity, dolar.value)) AS equity_clp,
    toFloat64(days.total_assets) AS total_assets, days.contributors AS contributors, days.institutional AS institutional, nullIf(days.agency, '') AS agency
FROM batch_fi_day(batch = {batch:UInt64}, series = [], all_series = true) AS days
LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = days.date
SETTINGS join_use_nulls = 0
COMMENT 'Series of investment funds by day: book value and equity. Key: series_id, date.'
