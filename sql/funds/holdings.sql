-- What funds held at the close of each month.
--   SELECT issuer, sum(value) FROM funds.holdings WHERE run = '8011-K' AND month = '2025-06-30' GROUP BY issuer ORDER BY 2 DESC
CREATE OR REPLACE VIEW funds.holdings
(
    fund_id              UInt32                           COMMENT 'Id of the fund; 0 where no register and no quote names the fund',
    month                Date                             COMMENT 'Last day of the month at whose close the position was held',
    market               LowCardinality(String)           COMMENT 'N national, E foreign; of investment funds also M participation method, B real estate, O options, F futures',
    position             UInt32                           COMMENT 'Place among the rows of the fund and market: two lots of one instrument are two positions',
    run                  String                           COMMENT 'RUN of the fund with check digit, as in 8011-K',
    symbol               Nullable(String)                 COMMENT 'Symbol of the instrument (nemotécnico); null when none',
    issuer               Nullable(String)                 COMMENT 'Name of the issuer; null where the source has the RUT alone',
    issuer_rut           Nullable(String)                 COMMENT 'RUT of the issuer with check digit; null when none',
    country              LowCardinality(Nullable(String)) COMMENT 'Country of the issuer as written, two letters; null when none',
    instrument_type      LowCardinality(String)           COMMENT 'Type of the instrument, code as written',
    units                Nullable(Float64)                COMMENT 'Number of units held; null where not stated',
    currency             LowCardinality(Nullable(String)) COMMENT 'Registered currency of the fund, in which value is; null where unknown',
    value                Nullable(Float64)                COMMENT 'Valuation at the close, full units of currency; null where not stated',
    value_clp            Nullable(Float64)                COMMENT 'Valuation in full pesos; dollars at the official rate of the month end, or the last one of the 7 days before',
    weight               Nullable(Float64)                COMMENT 'Part of the assets of the fund, fraction; null where not stated',
    settlement_currency  LowCardinality(Nullable(String)) COMMENT 'Currency in which the instrument settles: PESOS, DOLAR, or as written; null where not stated'
)
SQL SECURITY DEFINER AS
SELECT
    registered.id AS fund_id, held.month AS month, held.market AS market, held.position AS position, cuota_rol(held.run) AS run,
    nullIf(held.nemotecnico, '') AS symbol, nullIf(held.issuer, '') AS issuer,
    held.issuer_rut = 0 ? NULL : cuota_rol(held.issuer_rut) AS issuer_rut, nullIf(held.country, '') AS country,
    held.instrument AS instrument_type, toFloat64(held.units) AS units, funds.currency AS currency,
    toFloat64(toDecimal128(held.valuation_thousands, 4) * 1000) AS value,
    toFloat64(cuota_clp(funds.currency, toDecimal128(held.valuation_thousands, 4) * 1000, dolar.value)) AS value_clp,
    toFloat64(toDecimal128(held.percent, 10) / 100) AS weight,
    nullIf(cuota_currency(held.moneda), '') AS settlement_currency
FROM batch_holding(batch = {batch:UInt64}, runs = [], all_runs = true) AS held
LEFT JOIN (SELECT id, run FROM registry WHERE kind = 'fund' AND batch <= {batch:UInt64}) AS registered ON registered.run = held.run
LEFT JOIN (SELECT fund_id, currency FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = registered.id
LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = held.month
SETTINGS join_use_nulls = 0
COMMENT 'Portfolios of funds at the close of each month, position by position. Key: run, month, market, position.'
