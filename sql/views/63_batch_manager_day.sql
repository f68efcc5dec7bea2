-- Managers by day as batch N sees them, with their equity in pesos. Dollars are converted
-- at the dólar observado of the day, or of at most 7 days before (RULES 8), even if the row
-- that counts for a series is older. Equity that cannot be converted is null.
--   SELECT * FROM batch_manager_day(batch = 7, from = '2025-07-20', to = '2025-07-20')
CREATE OR REPLACE VIEW batch_manager_day AS
SELECT
    days.date AS date, manager_rut, currency, equity, shareholders, series, runs,
    cuota_clp(currency, equity, dolar.value) AS equity_clp
FROM
(
    SELECT * FROM manager_day
    WHERE date BETWEEN {from:Date} AND {to:Date}
      AND (date, build) IN parts.newest_builds_between(list: market_day_version)
) AS days
LEFT JOIN batch_dolar(batch = {batch:UInt64}) AS dolar ON dolar.date = days.date
SETTINGS join_use_nulls = 0
