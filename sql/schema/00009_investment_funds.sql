-- +goose Up

-- Investment funds and their series. Their days are rebuilt completely, like those of
-- mutual funds in series_day, but by builds of their own: fi_day_version lists which batch
-- built which day, and a reader of batch N takes the newest build up to N. The breaks,
-- returns and risk of their series are in the same tables as those of mutual funds.

ALTER TABLE fact_investment_fund
    ADD COLUMN IF NOT EXISTS closed Bool COMMENT 'True: the register calls the fund no vigente; false: it calls it vigente, or lists it without a word';

ALTER TABLE registry
    COMMENT COLUMN kind 'manager, fund, series (of mutual funds) or fi_series (of investment funds): ids are unique inside a kind, and both kinds of series share one space',
    COMMENT COLUMN key 'agf:RUT, fund:RUN, series:RUN:SERIE or fi:RUN:SERIE, with check digits';

ALTER TABLE manager
    COMMENT COLUMN mutual_funds 'Mutual funds in the register, open or closed, without exchange-traded ones',
    COMMENT COLUMN investment_funds 'Investment funds in the register, redeemable or not, without exchange-traded ones',
    COMMENT COLUMN etfs 'Exchange-traded funds of either register, by curated flag';

ALTER TABLE fund
    COMMENT COLUMN vehicle 'etf by curated flag, whatever the register; else investment_fund or mutual_fund (RULES 11)',
    COMMENT COLUMN manager_id 'Manager id (registry); 0 where no source names one',
    COMMENT COLUMN current 'Open in the register at the cutoff; without a register entry: has a current series. Investment funds: the register does not call it no vigente';

CREATE TABLE IF NOT EXISTS fi_day_version
(
    date   Date   COMMENT 'Day whose rows were built',
    build  UInt64 COMMENT 'Batch that built them'
)
ENGINE = MergeTree
ORDER BY (date, build)
COMMENT 'Which batch built which day of fi_day';

CREATE TABLE IF NOT EXISTS fi_day
(
    series_id       UInt32                   COMMENT 'Series number (registry, fi_series); the public id is in fi_instrument',
    date            Date                     COMMENT 'Day of the values',
    build           UInt64                   COMMENT 'Batch that built this day',
    currency        LowCardinality(String)   COMMENT 'Accounting currency: PESOS, DOLAR, or as written where unknown',
    book_value      Nullable(Decimal(18, 6)) COMMENT 'Valor libro of one quota, in currency: the quote that returns are made of, never a market price; null when the row was rejected, which is an invalid quote (RULES 1)',
    economic_value  Nullable(Decimal(18, 6)) COMMENT 'Valor económico of one quota, in currency; null where not appraised',
    equity          Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto of the series, full units of currency',
    total_assets    Nullable(Decimal(18, 4)) COMMENT 'Activo total as stated, full units of currency',
    contributors    Nullable(UInt32)         COMMENT 'Aportantes',
    institutional   Nullable(UInt32)         COMMENT 'Of these, institutional',
    agency          LowCardinality(String)   COMMENT 'Agencia as written; empty when none'
)
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (series_id, date, build)
SETTINGS index_granularity = 1024
COMMENT 'One row per series of an investment fund and day, corrections resolved';

CREATE TABLE IF NOT EXISTS fi_instrument
(
    batch              UInt64                           COMMENT 'Batch',
    instrument_id      UUID                             COMMENT 'Public id of the series, asset_id and instrument_id of the API; of a fund''s own row that of the fund (cuota_fi_id)',
    series_id          Nullable(UInt32)                 COMMENT 'Series number (registry, fi_series), by which days, breaks, returns and risk know it; null in a fund''s own row',
    listed             Bool                             COMMENT 'False: own row of a fund whose series are known; it is found by its id and never listed',
    fund_id            UInt32                           COMMENT 'Fund id (registry), concept_id of the API',
    run                String                           COMMENT 'RUN with check digit',
    serie              LowCardinality(Nullable(String)) COMMENT 'Series name; null in a fund''s own row',
    fund               String                           COMMENT 'Name of the fund',
    manager_id         Nullable(UInt32)                 COMMENT 'Manager id (registry), provider_id of the API; null where no register names one',
    manager            Nullable(String)                 COMMENT 'Name of the manager',
    vehicle            LowCardinality(String)           COMMENT 'etf or investment_fund',
    regulatory_type    LowCardinality(String)           COMMENT 'RES redeemable (FIRES), FINRE not; FI: the register does not tell (RULES 11)',
    is_etf             Nullable(Bool)                   COMMENT 'Exchange-traded, by curated flag; null: unknown',
    etf_source_url     Nullable(String)                 COMMENT 'Address of the document that proves the flag',
    etf_source_sha256  Nullable(String)                 COMMENT 'Hash of that document, hex',
    status             LowCardinality(String)           COMMENT 'active: vigente and a value at most 95 days older than the cutoff; inactive: no vigente; else unknown (RULES 11)',
    current            Bool                             COMMENT 'Quoted within 7 days of the cutoff, and not inactive',
    first_date         Nullable(Date)                   COMMENT 'First day with a value, up to the cutoff',
    last_date          Nullable(Date)                   COMMENT 'Last day with a value, up to the cutoff; the columns behind this one are of that day, null without one',
    currency           LowCardinality(Nullable(String)) COMMENT 'PESOS or DOLAR; null for any other',
    book_value         Nullable(Decimal(18, 6))         COMMENT 'Valor libro of one quota, in currency; null when that row is void',
    economic_value     Nullable(Decimal(18, 6))         COMMENT 'Valor económico of one quota, in currency',
    equity             Nullable(Decimal(18, 4))         COMMENT 'Patrimonio neto, full units of currency',
    total_assets       Nullable(Decimal(18, 4))         COMMENT 'Activo total, full units of currency',
    contributors       Nullable(UInt32)                 COMMENT 'Aportantes',
    institutional      Nullable(UInt32)                 COMMENT 'Of these, institutional',
    agency             LowCardinality(Nullable(String)) COMMENT 'Agencia'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, instrument_id)
COMMENT 'Instruments of investment funds: their series, and one row for each fund itself';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
