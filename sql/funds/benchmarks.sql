-- The indices with which families are compared.
--   SELECT family, index_name, symbol FROM funds.benchmarks WHERE active
CREATE OR REPLACE VIEW funds.benchmarks
(
    family           LowCardinality(String)           COMMENT 'Peer group of the regulator',
    symbol           LowCardinality(String)           COMMENT 'Symbol of the instrument whose price stands for the index: benchmark_prices.symbol',
    index_name       String                           COMMENT 'Name of the index',
    instrument_name  Nullable(String)                 COMMENT 'Name of the instrument; null where the index itself is priced',
    currency         LowCardinality(String)           COMMENT 'Currency of the prices: DOLAR or PESOS',
    asset_class      LowCardinality(Nullable(String)) COMMENT 'Asset class, as in equity; null when not stated',
    active           Bool                             COMMENT 'False where the family is no longer compared with it'
)
SQL SECURITY DEFINER AS
SELECT
    family_rar AS family, symbol, index_name, nullIf(instrument_name, '') AS instrument_name, cuota_currency(native_currency) AS currency,
    nullIf(asset_class, '') AS asset_class, active
FROM batch_benchmark(batch = {batch:UInt64})
COMMENT 'Indices with which families are compared. Key: family, symbol.'
