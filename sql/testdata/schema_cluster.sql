-- schema/00001_facts.sql

-- +goose Up

-- Facts are what the sources state, with one table for each dataset. Facts are bitemporal:
-- the sorting key ends in (revision, source_sha256). A row that is delivered twice is
-- therefore stored once, and a correction is stored beside the row that it corrects. The
-- current fact is the one with the highest revision. Between equal revisions the greater
-- hash decides, and within one file the later line. So the current fact does not depend on
-- the order of arrival.

CREATE TABLE IF NOT EXISTS fact_quota ON CLUSTER 'replicas'
(
    run                  UInt32                   COMMENT 'Fund RUN without check digit',
    serie                LowCardinality(String)   COMMENT 'Series name, upper case; UNICA where the source leaves it blank',
    date                 Date                     COMMENT 'Day of the quota value',
    revision             DateTime64(3, 'UTC')     COMMENT 'When the source was published, else first seen',
    source_sha256        LowCardinality(String)   COMMENT 'Hash of the raw file, hex',
    void                 Bool                     COMMENT 'True: the row was rejected at ingest but its day is known; amounts are null and the quota counts as invalid (RULES 1)',
    source_line          UInt32                   COMMENT 'Line in the raw file, from 1',
    manager_rut          UInt32                   COMMENT 'Manager (AGF) RUT without check digit; 0 when void',
    manager              LowCardinality(String)   COMMENT 'Manager name as the cartola writes it, spaces collapsed',
    moneda               LowCardinality(String)   COMMENT 'Currency as written: $$ pesos, PROM dollars, EUR',
    quota                Nullable(Decimal(18, 6)) COMMENT 'Valor cuota, in the series currency',
    equity               Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto of the series, in its currency',
    total_assets         Nullable(Decimal(18, 4)) COMMENT 'Activo total of the whole fund, repeated on each series, in its currency',
    units_outstanding    Nullable(Decimal(18, 4)) COMMENT 'Cuotas en circulación, in quotas',
    units_contributed    Nullable(Decimal(18, 4)) COMMENT 'Cuotas aportadas that day, in quotas',
    units_redeemed       Nullable(Decimal(18, 4)) COMMENT 'Cuotas rescatadas that day, in quotas',
    shareholders         Nullable(UInt32)         COMMENT 'Número de partícipes',
    institutional        Nullable(UInt32)         COMMENT 'Of these, institutional',
    institutional_fund   Bool                     COMMENT 'PARTICIPES_INST flag of the fund',
    pension_fund         Bool                     COMMENT 'FONDO_PEN flag of the series',
    invests_in_funds     Bool                     COMMENT 'INVERSION_EN_FONDOS flag of the fund',
    fixed_fee            Nullable(Decimal(18, 4)) COMMENT 'Remuneración fija of the day, in the series currency',
    variable_fee         Nullable(Decimal(18, 4)) COMMENT 'Remuneración variable of the day, in the series currency',
    affected_expenses    Nullable(Decimal(18, 4)) COMMENT 'Gastos afectos of the day, in the series currency',
    unaffected_expenses  Nullable(Decimal(18, 4)) COMMENT 'Gastos no afectos of the day, in the series currency',
    subscription_fee     Nullable(Decimal(18, 4)) COMMENT 'Comisión de inversión of the day, in the series currency',
    redemption_fee       Nullable(Decimal(18, 4)) COMMENT 'Comisión de rescate of the day, in the series currency',
    adjustment_factor    Nullable(Decimal(18, 9)) COMMENT 'Factor de ajuste; null where none is stated, which means 1',
    distribution_factor  Nullable(Decimal(18, 9)) COMMENT 'Factor de reparto; null where none is stated, which means 1'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
PARTITION BY toYear(date)
ORDER BY (run, serie, date, revision, source_sha256, void)
SETTINGS index_granularity = 2048
COMMENT 'Cartola rows: one series on one day, every revision';

CREATE TABLE IF NOT EXISTS fact_fund ON CLUSTER 'replicas'
(
    run            UInt32                 COMMENT 'Fund RUN without check digit',
    revision       DateTime64(3, 'UTC')   COMMENT 'When the register was published, else first seen',
    source_sha256  LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    source_line    UInt32                 COMMENT 'Line in the raw file, from 1',
    manager_rut    UInt32                 COMMENT 'Manager (AGF) RUT without check digit',
    manager        LowCardinality(String) COMMENT 'Manager name as registered, spaces collapsed',
    name           String                 COMMENT 'Registered name of the fund',
    short_name     String                 COMMENT 'Nombre corto',
    approved       Nullable(Date32)       COMMENT 'Date of the resolution that approved its rules',
    resolution     String                 COMMENT 'Number of that resolution',
    kind           UInt8                  COMMENT 'Tipo de fondo mutuo, 1 to 8',
    started        Nullable(Date32)       COMMENT 'Start of operations',
    ended          Nullable(Date32)       COMMENT 'End of operations; null while open',
    moneda         LowCardinality(String) COMMENT 'Currency as written: $$ pesos, PROM dollars, EUR'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, revision, source_sha256)
COMMENT 'Register of mutual funds, every revision';

CREATE TABLE IF NOT EXISTS fact_tac ON CLUSTER 'replicas'
(
    run             UInt32                 COMMENT 'Fund RUN without check digit',
    serie           LowCardinality(String) COMMENT 'Series name',
    date            Date                   COMMENT 'Month end that the figure is for',
    kind            LowCardinality(String) COMMENT 'synthetic: counts the costs of underlying funds; real: does not. Never mixed in one history (RULES 2)',
    revision        DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen',
    source_sha256   LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    source_line     UInt32                 COMMENT 'Line in the raw file, from 1',
    percent         Decimal(18, 8)         COMMENT 'Annual cost rate, percent: 1.32 is 1.32 %',
    investor_class  LowCardinality(String) COMMENT 'Clase de inversionista that came with the rate: the dated TAC class',
    moneda          LowCardinality(String) COMMENT 'Functional currency as written',
    fund            String                 COMMENT 'Fund name as the source writes it',
    manager         LowCardinality(String) COMMENT 'Manager name as the source writes it',
    digital         Bool                   COMMENT 'serie_digital flag',
    equity_stated   Decimal(18, 8)         COMMENT 'pat_total as stated: thousand millions of CLP or millions of USD'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, serie, date, kind, revision, source_sha256)
COMMENT 'Cost rates by series and month, every revision';

CREATE TABLE IF NOT EXISTS fact_official_return ON CLUSTER 'replicas'
(
    run             UInt32                    COMMENT 'Fund RUN without check digit',
    serie           LowCardinality(String)    COMMENT 'Series name',
    date            Date                      COMMENT 'Date of the comparator file',
    revision        DateTime64(3, 'UTC')      COMMENT 'When the source was published, else first seen',
    source_sha256   LowCardinality(String)    COMMENT 'Hash of the raw file, hex',
    source_line     UInt32                    COMMENT 'Line in the raw file, from 1',
    family_rar      LowCardinality(String)    COMMENT 'familia_rar: the finest family, the peer group of the spheres',
    family_display  LowCardinality(String)    COMMENT 'familia_visualizador',
    family_studies  LowCardinality(String)    COMMENT 'familia_estudios, the coarsest family',
    investor_class  LowCardinality(String)    COMMENT 'clase_inversionista',
    fund            String                    COMMENT 'Fund name as the source writes it',
    manager         LowCardinality(String)    COMMENT 'Manager name as the source writes it',
    digital         Bool                      COMMENT 'serie_digital flag',
    spheres         UInt8                     COMMENT 'ind_rar_pond: 1 to 5, 5 best; 0 when the regulator gave none',
    nominal_1y      Nullable(Decimal(18, 8))  COMMENT 'Nominal return of 1 year, percent',
    real_1y         Nullable(Decimal(18, 8))  COMMENT 'Real return of 1 year, percent',
    nominal_3y      Nullable(Decimal(18, 8))  COMMENT 'Nominal return of 3 years, annualised, percent',
    real_3y         Nullable(Decimal(18, 8))  COMMENT 'Real return of 3 years, annualised, percent',
    nominal_5y      Nullable(Decimal(18, 8))  COMMENT 'Nominal return of 5 years, annualised, percent',
    real_5y         Nullable(Decimal(18, 8))  COMMENT 'Real return of 5 years, annualised, percent',
    nominal_10y     Nullable(Decimal(18, 8))  COMMENT 'Nominal return of 10 years, annualised, percent',
    real_10y        Nullable(Decimal(18, 8))  COMMENT 'Real return of 10 years, annualised, percent'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, serie, date, revision, source_sha256)
COMMENT 'The regulator''s return comparator: families, investor class, spheres, official returns';

CREATE TABLE IF NOT EXISTS fact_aafm_daily ON CLUSTER 'replicas'
(
    run                UInt32                   COMMENT 'Fund RUN without check digit',
    serie              LowCardinality(String)   COMMENT 'Series name, cut to 12 characters by the source',
    date               Date                     COMMENT 'Day of the sheet',
    revision           DateTime64(3, 'UTC')     COMMENT 'When the sheet was published, else first seen',
    source_sha256      LowCardinality(String)   COMMENT 'Hash of the raw file, hex',
    source_line        UInt32                   COMMENT 'Line in the raw file, from 1',
    manager            LowCardinality(String)   COMMENT 'Manager name as the sheet writes it',
    fund               String                   COMMENT 'Fund name as the sheet writes it',
    bloomberg          String                   COMMENT 'Bloomberg code; empty when none',
    category           LowCardinality(String)   COMMENT 'AAFM category; empty when none',
    apv                Bool                     COMMENT 'serie_apv: series for voluntary pension saving',
    currency           LowCardinality(String)   COMMENT 'PESOS or DOLAR; empty when the fund did not report',
    equity_clp         Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto as stated, CLP',
    quota              Nullable(Decimal(18, 6)) COMMENT 'Valor cuota, in the series currency',
    units_outstanding  Nullable(Decimal(18, 4)) COMMENT 'Cuotas en circulación, in quotas',
    units_contributed  Nullable(Decimal(18, 4)) COMMENT 'Cuotas aportadas that day, in quotas',
    units_redeemed     Nullable(Decimal(18, 4)) COMMENT 'Cuotas rescatadas that day, in quotas',
    shareholders       Nullable(UInt32)         COMMENT 'Partícipes'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, serie, date, revision, source_sha256)
COMMENT 'Daily sheet of the mutual-fund association, every revision';

CREATE TABLE IF NOT EXISTS fact_indicator ON CLUSTER 'replicas'
(
    code           LowCardinality(String) COMMENT 'uf or dolar',
    date           Date                   COMMENT 'Day of the value',
    revision       DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen',
    source_sha256  LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    source_line    UInt32                 COMMENT 'Line in the raw file, from 1',
    value          Decimal(18, 6)         COMMENT 'CLP for one UF, or CLP for one US dollar (dólar observado)'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (code, date, revision, source_sha256)
COMMENT 'UF and dólar observado, every revision';

CREATE TABLE IF NOT EXISTS fact_investment_fund ON CLUSTER 'replicas'
(
    run            UInt32                 COMMENT 'Fund RUN without check digit',
    revision       DateTime64(3, 'UTC')   COMMENT 'When the register was published, else first seen',
    source_sha256  LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    source_line    UInt32                 COMMENT 'Line in the raw file, from 1',
    name           String                 COMMENT 'Registered name of the fund',
    manager        LowCardinality(String) COMMENT 'Manager name as registered; the source has no RUT',
    kind           LowCardinality(String) COMMENT 'FIRES: redeemable; FINRE: not redeemable'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, revision, source_sha256)
COMMENT 'Register of investment funds, every revision';

CREATE TABLE IF NOT EXISTS rejected_row ON CLUSTER 'replicas'
(
    dataset        LowCardinality(String) COMMENT 'Dataset of the file',
    source_sha256  LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    source_line    UInt32                 COMMENT 'Line in the raw file, from 1',
    revision       DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen',
    file           String                 COMMENT 'Base name of the file',
    reason         String                 COMMENT 'What was wrong, for whoever mends the file',
    raw            String                 COMMENT 'The row as it came, cut to 4 KiB'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', revision)
ORDER BY (dataset, source_sha256, source_line)
COMMENT 'Rows that did not pass at ingest; nothing is dropped silently';

CREATE TABLE IF NOT EXISTS manifest ON CLUSTER 'replicas'
(
    dataset     LowCardinality(String) COMMENT 'Dataset of the file',
    sha256      String                 COMMENT 'Hash of the raw file, hex',
    revision    DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen',
    file        String                 COMMENT 'Base name of the file',
    first_date  Nullable(Date)         COMMENT 'First business date in the file',
    last_date   Nullable(Date)         COMMENT 'Last business date in the file',
    rows        UInt64                 COMMENT 'Rows read',
    keys        UInt64                 COMMENT 'Distinct keys published: so many facts the file must come to',
    rejected    UInt64                 COMMENT 'Rows rejected'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', revision)
ORDER BY (dataset, sha256)
COMMENT 'Files whose rows were all published to Kafka, and what they must come to';

CREATE TABLE IF NOT EXISTS complete_file ON CLUSTER 'replicas'
(
    dataset     LowCardinality(String) COMMENT 'Dataset of the file',
    sha256      String                 COMMENT 'Hash of the raw file, hex',
    revision    DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen',
    file        String                 COMMENT 'Base name of the file',
    first_date  Nullable(Date)         COMMENT 'First business date in the file',
    last_date   Nullable(Date)         COMMENT 'Last business date in the file',
    rows        UInt64                 COMMENT 'Rows read',
    keys        UInt64                 COMMENT 'Distinct keys published',
    rejected    UInt64                 COMMENT 'Rows rejected'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', revision)
ORDER BY (dataset, sha256)
COMMENT 'Complete files: every key of the manifest has arrived as a fact. Only these enter a batch';

-- +goose Down
SELECT throwIf(true, 'facts are the durable history: no way down');

-- schema/00002_reference.sql

-- +goose Up

-- Once made the table of categories, which is a view now (00027_categories.sql).
SELECT 1;

-- +goose Down
SELECT 1;

-- schema/00003_projections.sql

-- +goose Up

-- Batches. A batch is published by its row in the table batch, which is written last. So if
-- N is a published batch, all rows of batch N are complete.

CREATE TABLE IF NOT EXISTS batch_attempt ON CLUSTER 'replicas'
(
    batch       UInt64               COMMENT 'Number of the batch, published or not; never used twice',
    started_at  DateTime64(3, 'UTC') COMMENT 'When building began'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY batch
COMMENT 'Every batch that was begun';

CREATE TABLE IF NOT EXISTS batch_new_file ON CLUSTER 'replicas'
(
    batch     UInt64                 COMMENT 'First batch that the file is part of; it stays part of all later ones',
    dataset   LowCardinality(String) COMMENT 'Dataset of the file',
    sha256    String                 COMMENT 'Hash of the raw file, hex',
    revision  DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY (batch, dataset, sha256)
COMMENT 'Which files a batch is made of: those of its own number and of all before';

CREATE TABLE IF NOT EXISTS batch ON CLUSTER 'replicas'
(
    batch                 UInt64                 COMMENT 'Number of the batch',
    batch_id              String                 COMMENT 'Public name of the batch: cutoff, number, start of the fingerprint',
    as_of_date            Nullable(Date)         COMMENT 'Cutoff: the latest complete date; null while no date is complete',
    latest_complete_date  Nullable(Date)         COMMENT 'Latest date on which the market was complete (RULES 1)',
    last_quota_date       Nullable(Date)         COMMENT 'Latest date with any quota value',
    calculation_date      Date                   COMMENT 'Santiago day on which the batch was built',
    calculated_at         DateTime64(3, 'UTC')   COMMENT 'When the batch was built',
    input_fingerprint     FixedString(64)        COMMENT 'sha256 over the files of the batch and their revisions, hex',
    method_version        LowCardinality(String) COMMENT 'Version of the return rules',
    tolerance_days        UInt8                  COMMENT 'Oldest quote that stands for a target date, calendar days',
    series_count          UInt32                 COMMENT 'Rows of the screener: series alive at the cutoff',
    total_records         UInt64                 COMMENT 'Facts of all datasets in the batch, corrections resolved',
    rebuilt_days          UInt32                 COMMENT 'Days of series_day that this batch built anew'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY batch
COMMENT 'Published batches. The highest number is the current one';

CREATE TABLE IF NOT EXISTS batch_failure ON CLUSTER 'replicas'
(
    batch      UInt64               COMMENT 'Number of the batch that was not published',
    failed_at  DateTime64(3, 'UTC') COMMENT 'When it was given up',
    reason     String               COMMENT 'The statement that failed, or the checks that the batch did not pass'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY batch
COMMENT 'Batches that were begun and not published, and why';

CREATE TABLE IF NOT EXISTS retired_batch ON CLUSTER 'replicas'
(
    batch  UInt64 COMMENT 'Number of a batch whose rows were dropped'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY batch
COMMENT 'Batches too old to be asked for';

CREATE TABLE IF NOT EXISTS command_done ON CLUSTER 'replicas'
(
    id       String               COMMENT 'Id of the command, as it stood in the control topic',
    batch    UInt64               COMMENT 'Batch that it led to',
    done_at  DateTime64(3, 'UTC') COMMENT 'When that batch was published'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY id
COMMENT 'Commands to build that were carried out, so that a redelivered one is not carried out twice';

CREATE TABLE IF NOT EXISTS registry ON CLUSTER 'replicas'
(
    kind     LowCardinality(String) COMMENT 'manager, fund or series: ids are unique inside a kind',
    id       UInt32                 COMMENT 'CRC-32 of the key, or of key#1, key#2 … where that was taken (RULES 12)',
    key      String                 COMMENT 'agf:RUT, fund:RUN or series:RUN:SERIE, with check digits',
    run      UInt32                 COMMENT 'RUN of the fund or series, RUT of the manager, without check digit; 0 for a manager known by name alone',
    serie    String                 COMMENT 'Series name; empty for funds, normalised name for managers without RUT',
    batch    UInt64                 COMMENT 'Batch that first needed the id'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY (kind, id)
COMMENT 'Every id ever given out. Ids are never reused';

-- The daily projection. A day is always rebuilt completely. Its rows carry the batch that
-- built them, and a reader of batch N takes the newest build up to N.

CREATE TABLE IF NOT EXISTS series_day_version ON CLUSTER 'replicas'
(
    date   Date   COMMENT 'Day whose rows were built',
    build  UInt64 COMMENT 'Batch that built them'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY (date, build)
COMMENT 'Which batch built which day of series_day';

CREATE TABLE IF NOT EXISTS series_day ON CLUSTER 'replicas'
(
    series_id            UInt32                   COMMENT 'Series id (registry)',
    date                 Date                     COMMENT 'Day of the quota value',
    build                UInt64                   COMMENT 'Batch that built this day',
    quota                Nullable(Decimal(18, 6)) COMMENT 'Valor cuota in currency; null when the row was rejected, which is an invalid quote (RULES 1)',
    currency             LowCardinality(String)   COMMENT 'Accounting currency: PESOS, DOLAR, or as written where unknown',
    equity               Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto of the series, full units of currency',
    shareholders         Nullable(UInt32)         COMMENT 'Partícipes',
    manager_rut          UInt32                   COMMENT 'RUT of the manager that reported the day, without check digit; 0 when void',
    units_outstanding    Nullable(Decimal(18, 4)) COMMENT 'Cuotas en circulación, in quotas',
    units_contributed    Nullable(Decimal(18, 4)) COMMENT 'Cuotas aportadas that day, in quotas',
    units_redeemed       Nullable(Decimal(18, 4)) COMMENT 'Cuotas rescatadas that day, in quotas',
    costs                Nullable(Decimal(18, 4)) COMMENT 'Fixed and variable fee, affected and unaffected expenses of the day, in currency (RULES 2)',
    adjustment_factor    Nullable(Decimal(18, 9)) COMMENT 'Factor de ajuste; null: none stated, 1',
    distribution_factor  Nullable(Decimal(18, 9)) COMMENT 'Factor de reparto; null: none stated, 1'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYear(date)
ORDER BY (series_id, date, build)
SETTINGS index_granularity = 1024
COMMENT 'One row per series and day, corrections resolved';

CREATE TABLE IF NOT EXISTS discontinuity ON CLUSTER 'replicas'
(
    batch      UInt64                 COMMENT 'Batch',
    series_id  UInt32                 COMMENT 'Series id (registry)',
    date       Date                   COMMENT 'Later of the two quotes between which the series breaks',
    kind       LowCardinality(String) COMMENT 'currency_change; or a known discontinuity: gap (over 31 days), restart (equity 0, then more), adjustment (factor de ajuste not 1)'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id, date)
COMMENT 'Days across which a price return would be meaningless (RULES 1)';

CREATE TABLE IF NOT EXISTS market_completeness ON CLUSTER 'replicas'
(
    batch               UInt64  COMMENT 'Batch',
    date                Date    COMMENT 'Day with at least one quote',
    rows                UInt32  COMMENT 'Series with a row that day, void ones included',
    series              UInt32  COMMENT 'Of these, with a quote',
    prior_series        UInt32  COMMENT 'Series with a row in the seven days before, or in the seven days up to the last day with any',
    present_series      UInt32  COMMENT 'Of these, with a quote that day',
    prior_equity_clp    Decimal(38, 4) COMMENT 'Equity of the prior series at their last quote before the day, CLP; dollars at the dólar observado of at most 7 days before; others left out',
    present_equity_clp  Decimal(38, 4) COMMENT 'Of this, held by the present series, CLP',
    complete            Bool    COMMENT 'present is at least 98 % of prior series and 99 % of their equity; the very first day is (RULES 1)'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, date)
COMMENT 'How complete the market is on each day';

-- Small projections, which are written completely for each batch.

CREATE TABLE IF NOT EXISTS manager ON CLUSTER 'replicas'
(
    batch             UInt64           COMMENT 'Batch',
    manager_id        UInt32           COMMENT 'Manager id (registry)',
    rut               Nullable(String) COMMENT 'RUT with check digit; null where only the name is known',
    name              String           COMMENT 'Most recent name, upper case as the source, spaces collapsed',
    mutual_funds      UInt32           COMMENT 'Mutual funds in the register, open or closed',
    investment_funds  UInt32           COMMENT 'Investment funds in the register',
    etfs              UInt32           COMMENT 'Exchange-traded funds among them, by curated flag'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, manager_id)
COMMENT 'Managers (AGF)';

CREATE TABLE IF NOT EXISTS fund ON CLUSTER 'replicas'
(
    batch       UInt64                           COMMENT 'Batch',
    fund_id     UInt32                           COMMENT 'Fund id (registry), concept_id of the API',
    run         String                           COMMENT 'RUN with check digit',
    manager_id  UInt32                           COMMENT 'Manager id (registry)',
    manager     String                           COMMENT 'Name of the manager',
    vehicle     LowCardinality(String)           COMMENT 'mutual_fund, etf or investment_fund',
    name        String                           COMMENT 'Registered name; else as the association''s sheet has it; else the RUN',
    short_name  Nullable(String)                 COMMENT 'Nombre corto of the register',
    kind        Nullable(String)                 COMMENT 'Tipo de fondo mutuo 1 to 8; FIRES or FINRE for investment funds',
    category    LowCardinality(Nullable(String)) COMMENT 'Category of its series with most equity (RULES 6)',
    currency    LowCardinality(Nullable(String)) COMMENT 'Registered currency: PESOS, DOLAR or EUR; else that of its series with most equity',
    started     Nullable(Date32)                 COMMENT 'Start of operations',
    ended       Nullable(Date32)                 COMMENT 'End of operations; null while open',
    current     Bool                             COMMENT 'Open in the register at the cutoff; without a register entry: has a current series'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, fund_id)
COMMENT 'Funds of every vehicle';

CREATE TABLE IF NOT EXISTS series ON CLUSTER 'replicas'
(
    batch                 UInt64                           COMMENT 'Batch',
    series_id             UInt32                           COMMENT 'Series id (registry), asset_id of the API',
    fund_id               UInt32                           COMMENT 'Fund id (registry)',
    run                   String                           COMMENT 'RUN with check digit',
    serie                 String                           COMMENT 'Series name',
    currency              LowCardinality(Nullable(String)) COMMENT 'PESOS or DOLAR, of the last quote; null for any other',
    category              LowCardinality(Nullable(String)) COMMENT 'Category by family, else by association category; null while unclassified (RULES 6)',
    family_rar            LowCardinality(Nullable(String)) COMMENT 'familia_rar: the peer group',
    family_display        LowCardinality(Nullable(String)) COMMENT 'familia_visualizador',
    family_studies        LowCardinality(Nullable(String)) COMMENT 'familia_estudios',
    class_dated           LowCardinality(Nullable(String)) COMMENT 'Investor class of the newest classification file',
    classification_date   Nullable(Date)                   COMMENT 'Date of that file',
    class_tac             LowCardinality(Nullable(String)) COMMENT 'Investor class that came with the TAC',
    tac                   Nullable(Float64)                COMMENT 'Annual cost rate, fraction: 0.0132 is 1.32 % (RULES 2)',
    tac_kind              LowCardinality(Nullable(String)) COMMENT 'synthetic or real',
    tac_date              Nullable(Date)                   COMMENT 'Date of the TAC',
    spheres               Nullable(UInt8)                  COMMENT 'ind_rar_pond of the newest comparator, 1 to 5, 5 best',
    spheres_reason        LowCardinality(Nullable(String)) COMMENT 'Why there is none: source_unavailable, not_in_source, not_rated_by_cmf, no_complete_cutoff (RULES 3)',
    spheres_date          Nullable(Date)                   COMMENT 'Date of that comparator',
    spheres_loaded_at     Nullable(DateTime64(3, 'UTC'))   COMMENT 'Revision of that comparator',
    spheres_sha256        Nullable(String)                 COMMENT 'Hash of that comparator, hex',
    apv                   Nullable(Bool)                   COMMENT 'Series for voluntary pension saving, by the association''s sheet',
    first_date            Date                             COMMENT 'First quote',
    last_date             Date                             COMMENT 'Last quote not after the cutoff',
    current               Bool                             COMMENT 'Quoted within 7 days of the cutoff, and its fund not ended by then'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id)
COMMENT 'Series of mutual funds that ever had a quote up to the cutoff';

CREATE TABLE IF NOT EXISTS series_latest ON CLUSTER 'replicas'
(
    batch                 UInt64                   COMMENT 'Batch',
    series_id             UInt32                   COMMENT 'Series id (registry)',
    date                  Date                     COMMENT 'Last quote not after the cutoff',
    quota                 Nullable(Decimal(18, 6)) COMMENT 'Valor cuota, series currency; null when that row is void',
    equity                Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto, full units of the series currency',
    shareholders          Nullable(UInt32)         COMMENT 'Partícipes',
    previous_date         Nullable(Date)           COMMENT 'Quote before, at most 7 days older',
    previous_equity       Nullable(Decimal(18, 4)) COMMENT 'Equity on previous_date, full units of the series currency',
    daily_change          Nullable(Float64)        COMMENT 'Percent points from previous_date, with the factors that the cartola states; null across a break (RULES 7)',
    month_date            Nullable(Date)           COMMENT 'Quote at or at most 7 days before one month earlier',
    month_equity          Nullable(Decimal(18, 4)) COMMENT 'Equity on month_date, full units of the series currency',
    monthly_change        Nullable(Float64)        COMMENT 'Percent points from month_date, with the factors that the cartola states; null across a break (RULES 7)'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id)
COMMENT 'Latest day of each series, with its changes';

CREATE TABLE IF NOT EXISTS series_return ON CLUSTER 'replicas'
(
    batch            UInt64                           COMMENT 'Batch',
    series_id        UInt32                           COMMENT 'Series id (registry)',
    window           LowCardinality(String)           COMMENT '1m, 3m, 6m, 1y, ytd, 3y_ann, 5y_ann or last_closed_month',
    value            Nullable(Float64)                COMMENT 'Price return in accounting currency, fraction; 3y_ann and 5y_ann per year',
    currency         LowCardinality(Nullable(String)) COMMENT 'PESOS or DOLAR; null when unavailable',
    reason           LowCardinality(Nullable(String)) COMMENT 'Why there is no value, the first that applies (RULES 1); null when available',
    target_start     Date                             COMMENT 'Start that the window asks for',
    target_end       Date                             COMMENT 'End that the window asks for',
    effective_start  Nullable(Date)                   COMMENT 'Last quote on or before target_start',
    effective_end    Nullable(Date)                   COMMENT 'Last quote on or before target_end'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id, window)
COMMENT 'Price returns in accounting currency, eight windows a series, at the cutoff';

CREATE TABLE IF NOT EXISTS screener ON CLUSTER 'replicas'
(
    batch                     UInt64                           COMMENT 'Batch',
    series_id                 UInt32                           COMMENT 'Series id (registry)',
    fund_id                   UInt32                           COMMENT 'Fund id (registry)',
    run                       String                           COMMENT 'RUN with check digit',
    serie                     String                           COMMENT 'Series name',
    manager_id                UInt32                           COMMENT 'Manager id (registry)',
    manager                   String                           COMMENT 'Name of the manager',
    fund                      String                           COMMENT 'Name of the fund',
    category                  LowCardinality(Nullable(String)) COMMENT 'Category (RULES 6)',
    family_rar                LowCardinality(Nullable(String)) COMMENT 'familia_rar: the peer group',
    family_display            LowCardinality(Nullable(String)) COMMENT 'familia_visualizador',
    family_studies            LowCardinality(Nullable(String)) COMMENT 'familia_estudios',
    class_dated               LowCardinality(Nullable(String)) COMMENT 'Investor class of the newest classification file',
    classification_date       Nullable(Date)                   COMMENT 'Date of that file',
    class_tac                 LowCardinality(Nullable(String)) COMMENT 'Investor class that came with the TAC',
    currency                  LowCardinality(Nullable(String)) COMMENT 'Accounting currency: PESOS or DOLAR; null for any other',
    tac                       Nullable(Float64)                COMMENT 'Annual cost rate, fraction',
    tac_date                  Nullable(Date)                   COMMENT 'Date of the TAC',
    price                     Nullable(Decimal(18, 6))         COMMENT 'Valor cuota, series currency',
    price_date                Date                             COMMENT 'Date of the quota value',
    daily_change              Nullable(Float64)                COMMENT 'Percent points',
    monthly_change            Nullable(Float64)                COMMENT 'Percent points',
    equity                    Nullable(Decimal(18, 4))         COMMENT 'Patrimonio neto, full units of the series currency',
    previous_equity           Nullable(Decimal(18, 4))         COMMENT 'Equity at the quote before, full units of the series currency',
    month_equity              Nullable(Decimal(18, 4))         COMMENT 'Equity one month earlier, full units of the series currency',
    shareholders              Nullable(UInt32)                 COMMENT 'Partícipes',
    spheres                   Nullable(UInt8)                  COMMENT 'ind_rar_pond, 1 to 5, 5 best',
    spheres_reason            LowCardinality(Nullable(String)) COMMENT 'Why there is none (RULES 3)',
    spheres_date              Nullable(Date)                   COMMENT 'Date of the comparator',
    spheres_loaded_at         Nullable(DateTime64(3, 'UTC'))   COMMENT 'Revision of the comparator',
    spheres_sha256            Nullable(String)                 COMMENT 'Hash of the comparator, hex',
    return_1m                 Nullable(Float64)                COMMENT 'Price return 1m, fraction, accounting currency',
    return_3m                 Nullable(Float64)                COMMENT 'Price return 3m, fraction, accounting currency',
    return_6m                 Nullable(Float64)                COMMENT 'Price return 6m, fraction, accounting currency',
    return_1y                 Nullable(Float64)                COMMENT 'Price return 1y, fraction, accounting currency',
    return_ytd                Nullable(Float64)                COMMENT 'Price return ytd, fraction, accounting currency',
    return_3y_ann             Nullable(Float64)                COMMENT 'Price return 3y_ann, fraction, accounting currency',
    return_5y_ann             Nullable(Float64)                COMMENT 'Price return 5y_ann, fraction, accounting currency',
    return_last_closed_month  Nullable(Float64)                COMMENT 'Price return last_closed_month, fraction, accounting currency',
    reason_1m                 LowCardinality(Nullable(String)) COMMENT 'Why return_1m is null (RULES 1)',
    reason_3m                 LowCardinality(Nullable(String)) COMMENT 'Why return_3m is null (RULES 1)',
    reason_6m                 LowCardinality(Nullable(String)) COMMENT 'Why return_6m is null (RULES 1)',
    reason_1y                 LowCardinality(Nullable(String)) COMMENT 'Why return_1y is null (RULES 1)',
    reason_ytd                LowCardinality(Nullable(String)) COMMENT 'Why return_ytd is null (RULES 1)',
    reason_3y_ann             LowCardinality(Nullable(String)) COMMENT 'Why return_3y_ann is null (RULES 1)',
    reason_5y_ann             LowCardinality(Nullable(String)) COMMENT 'Why return_5y_ann is null (RULES 1)',
    reason_last_closed_month  LowCardinality(Nullable(String)) COMMENT 'Why return_last_closed_month is null (RULES 1)',
    start_1m                  Nullable(Date)                   COMMENT 'Effective start of 1m',
    start_3m                  Nullable(Date)                   COMMENT 'Effective start of 3m',
    start_6m                  Nullable(Date)                   COMMENT 'Effective start of 6m',
    start_1y                  Nullable(Date)                   COMMENT 'Effective start of 1y',
    start_ytd                 Nullable(Date)                   COMMENT 'Effective start of ytd',
    start_3y_ann              Nullable(Date)                   COMMENT 'Effective start of 3y_ann',
    start_5y_ann              Nullable(Date)                   COMMENT 'Effective start of 5y_ann',
    start_last_closed_month   Nullable(Date)                   COMMENT 'Effective start of last_closed_month',
    end_1m                    Nullable(Date)                   COMMENT 'Effective end of 1m',
    end_3m                    Nullable(Date)                   COMMENT 'Effective end of 3m',
    end_6m                    Nullable(Date)                   COMMENT 'Effective end of 6m',
    end_1y                    Nullable(Date)                   COMMENT 'Effective end of 1y',
    end_ytd                   Nullable(Date)                   COMMENT 'Effective end of ytd',
    end_3y_ann                Nullable(Date)                   COMMENT 'Effective end of 3y_ann',
    end_5y_ann                Nullable(Date)                   COMMENT 'Effective end of 5y_ann',
    end_last_closed_month     Nullable(Date)                   COMMENT 'Effective end of last_closed_month'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id)
SETTINGS index_granularity = 1024
COMMENT 'One row per series alive at the cutoff: what the screener filters, sorts and shows';

CREATE TABLE IF NOT EXISTS window_target ON CLUSTER 'replicas'
(
    batch         UInt64                 COMMENT 'Batch',
    window        LowCardinality(String) COMMENT 'Return window',
    target_start  Date                   COMMENT 'Start that the window asks for at the cutoff',
    target_end    Date                   COMMENT 'End that the window asks for at the cutoff'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, window)
COMMENT 'Target dates of the windows of a batch, the same for every series';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00004_more_facts.sql

-- +goose Up

-- More facts, by the rules of 00001_facts.sql. The sorting key ends in (revision,
-- source_sha256), so a correction overwrites nothing. The current fact has the highest
-- revision, then the greater hash, then the later line.

CREATE TABLE IF NOT EXISTS fact_monthly_tac ON CLUSTER 'replicas'
(
    date                Date                     COMMENT 'Last day of the month that the figures are for',
    manager_words       LowCardinality(String)   COMMENT 'Manager name reduced as cuota_words does: what the RUN is found by',
    fund_words          String                   COMMENT 'Fund name reduced as cuota_words does: what the RUN is found by',
    serie               LowCardinality(String)   COMMENT 'Series name, upper case; UNICA where the source leaves it blank',
    revision            DateTime64(3, 'UTC')     COMMENT 'When the source was published, else first seen',
    source_sha256       LowCardinality(String)   COMMENT 'Hash of the raw file, hex',
    source_line         UInt32                   COMMENT 'Line in the raw file, from 1',
    manager             LowCardinality(String)   COMMENT 'Manager name as the sheet writes it, its letters repaired',
    fund                String                   COMMENT 'Fund name as the sheet writes it, its letters repaired and the mark of a footnote cut',
    fund_type           LowCardinality(String)   COMMENT 'Tipo de fondo as written',
    moneda              LowCardinality(String)   COMMENT 'Currency as written',
    features            String                   COMMENT 'Características of the series',
    fixed_fee           String                   COMMENT 'Remuneración fija that the rules of the fund allow, as worded there',
    variable_fee        String                   COMMENT 'Remuneración variable that the rules allow, as worded there',
    operating_expenses  String                   COMMENT 'Gastos de operación that the rules allow, as worded there',
    fixed_percent       Nullable(Decimal(18, 8)) COMMENT 'Part of the TAC that is fixed remuneration, percent a year; null where the sheet says NA',
    variable_percent    Nullable(Decimal(18, 8)) COMMENT 'Part of the TAC that is variable remuneration, percent a year',
    expenses_percent    Nullable(Decimal(18, 8)) COMMENT 'Part of the TAC that is operating expenses, percent a year',
    total_percent       Nullable(Decimal(18, 8)) COMMENT 'Real TAC, percent a year: 1.32 is 1.32 %; 0 is a real value. Never mixed with the synthetic one (RULES 2)',
    placement_terms     String                   COMMENT 'Conditions of the commission on subscription, as worded',
    placement_fee       String                   COMMENT 'Commission on subscription, as worded',
    deferred_terms      String                   COMMENT 'Conditions of the deferred commission, as worded',
    deferred_fee        String                   COMMENT 'Deferred commission, as worded'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (manager_words, fund_words, serie, date, revision, source_sha256)
COMMENT 'The regulator''s monthly cost sheet: real TAC by series and month, every revision. It has names and no RUN';

CREATE TABLE IF NOT EXISTS fact_holding ON CLUSTER 'replicas'
(
    run                  UInt32                   COMMENT 'Fund RUN without check digit',
    month                Date                     COMMENT 'Last day of the month at whose close the position was held',
    market               LowCardinality(String)   COMMENT 'N nacional, E extranjera; of investment funds also M participation method, B real estate, O options, F futures (RULES 9)',
    revision             DateTime64(3, 'UTC')     COMMENT 'When the source was published, else first seen',
    source_sha256        LowCardinality(String)   COMMENT 'Hash of the raw file, hex',
    position             UInt32                   COMMENT 'Place among the rows that the file has of the fund and market, from 1: two lots of one instrument are two positions',
    source_line          UInt32                   COMMENT 'Line in the raw file, from 1',
    nemotecnico          String                   COMMENT 'Nemotécnico of the instrument; empty when none',
    issuer               String                   COMMENT 'Name of the issuer; empty where the source names it by RUT alone',
    issuer_rut           UInt32                   COMMENT 'RUT of the issuer without check digit; 0 when none',
    country              LowCardinality(String)   COMMENT 'Country of the issuer as written, two letters',
    instrument           LowCardinality(String)   COMMENT 'Tipo de instrumento, code as written',
    units                Nullable(Decimal(18, 6)) COMMENT 'Units held; null where not stated',
    valuation_thousands  Nullable(Decimal(18, 4)) COMMENT 'Valorización al cierre, thousands of the fund''s currency; null where not stated',
    percent              Nullable(Decimal(18, 8)) COMMENT 'Share of the fund''s assets, percent: 29.824 is 29.824 %',
    moneda               LowCardinality(String)   COMMENT 'Currency of settlement as written, not that of the valuation; empty where not stated'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
PARTITION BY toYear(month)
ORDER BY (run, month, market, revision, source_sha256, position)
COMMENT 'Portfolios at the close of a month. One file holds all positions of a (run, month, market), so the newest file replaces the others as a whole and positions of two files are never joined: read FINAL WHERE (run, month, market, revision, source_sha256) IN (SELECT run, month, market, max((revision, source_sha256)).1, max((revision, source_sha256)).2 FROM fact_holding GROUP BY run, month, market), of complete sources only';

CREATE TABLE IF NOT EXISTS fact_investment_value ON CLUSTER 'replicas'
(
    run             UInt32                   COMMENT 'Fund RUN without check digit',
    serie           LowCardinality(String)   COMMENT 'Series name, upper case; UNICA where the source leaves it blank',
    date            Date                     COMMENT 'Day of the values',
    revision        DateTime64(3, 'UTC')     COMMENT 'When the source was published, else first seen',
    source_sha256   LowCardinality(String)   COMMENT 'Hash of the raw file, hex',
    void            Bool                     COMMENT 'True: the row was rejected at ingest but its day is known; amounts are null and the value counts as invalid (RULES 1)',
    source_line     UInt32                   COMMENT 'Line in the raw file, from 1; of a web page the row among its table rows',
    moneda          LowCardinality(String)   COMMENT 'Currency as written: $$, CLP or PESOS; PROM, USD or DOLAR; EUR',
    book_value      Nullable(Decimal(18, 6)) COMMENT 'Valor libro of one quota, in the series currency; never a market price (RULES 11)',
    economic_value  Nullable(Decimal(18, 6)) COMMENT 'Valor económico of one quota, in the series currency; null where not appraised',
    equity          Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto, in the series currency',
    total_assets    Nullable(Decimal(18, 4)) COMMENT 'Activo total, in the series currency',
    contributors    Nullable(UInt32)         COMMENT 'Número de aportantes',
    institutional   Nullable(UInt32)         COMMENT 'Of these, institutional',
    agency          String                   COMMENT 'Agencia as written; empty when none'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
PARTITION BY toYear(date)
ORDER BY (run, serie, date, revision, source_sha256, void)
SETTINGS index_granularity = 2048
COMMENT 'Daily book values of investment funds by series, every revision';

CREATE TABLE IF NOT EXISTS fact_benchmark ON CLUSTER 'replicas'
(
    family_rar       LowCardinality(String) COMMENT 'Family, as familia_rar writes it',
    symbol           LowCardinality(String) COMMENT 'Symbol of the instrument whose price stands for the index',
    revision         DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen',
    source_sha256    LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    source_line      UInt32                 COMMENT 'Line in the raw file, from 1',
    index_name       String                 COMMENT 'Name of the index',
    instrument_name  String                 COMMENT 'Name of the instrument; empty when the index itself is priced',
    native_currency  LowCardinality(String) COMMENT 'Currency of the prices: USD or CLP',
    asset_class      LowCardinality(String) COMMENT 'Asset class, as equity; empty when not told',
    active           Bool                   COMMENT 'False: the family is no longer held against it'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (family_rar, symbol, revision, source_sha256)
COMMENT 'Catalogue of benchmarks: a family''s index, every revision';

CREATE TABLE IF NOT EXISTS fact_benchmark_price ON CLUSTER 'replicas'
(
    symbol         LowCardinality(String) COMMENT 'Symbol of the instrument, as in fact_benchmark',
    date           Date                   COMMENT 'Day of the price',
    revision       DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen',
    source_sha256  LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    source_line    UInt32                 COMMENT 'Line in the raw file, from 1',
    close          Decimal(18, 6)         COMMENT 'Closing price in the native currency of the benchmark, unconverted'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (symbol, date, revision, source_sha256)
COMMENT 'Closing prices of benchmarks, every revision';

CREATE TABLE IF NOT EXISTS fact_article107 ON CLUSTER 'replicas'
(
    run                       UInt32                           COMMENT 'Fund RUN without check digit',
    revision                  DateTime64(3, 'UTC')             COMMENT 'When the source was published, else first seen',
    source_sha256             LowCardinality(String)           COMMENT 'Hash of the raw file of assessments, hex',
    source_line               UInt32                           COMMENT 'Line in the raw file, from 1',
    status                    LowCardinality(String)           COMMENT 'declares_eligible, declares_not_eligible or unknown: what the regulation declares, not advice (RULES 10)',
    status_reason             String                           COMMENT 'Why the status is what it is; empty when not told',
    assessed_at               Nullable(DateTime64(6, 'UTC'))   COMMENT 'When an assessment last succeeded',
    updated_at                Nullable(DateTime64(6, 'UTC'))   COMMENT 'When the assessment was last looked at',
    cmf_document_id           String                           COMMENT 'The regulator''s id of the regulation that was assessed; empty when none',
    observed_cmf_document_id  String                           COMMENT 'Id of the regulation last seen at the regulator; another one than the assessed makes the assessment stale',
    document_url              String                           COMMENT 'Address of the regulation; empty when not told',
    document_sha256           String                           COMMENT 'Hash of the regulation, hex; empty when not told',
    cmf_deposit_date          Nullable(Date32)                 COMMENT 'When the regulation was deposited at the regulator',
    cmf_last_modified_date    Nullable(Date32)                 COMMENT 'When it was last modified there',
    fetched_at                Nullable(DateTime64(6, 'UTC'))   COMMENT 'When it was fetched',
    review_status             LowCardinality(String)           COMMENT 'pending, approved or rejected; empty when nobody reviewed',
    reviewed_at               Nullable(DateTime64(6, 'UTC'))   COMMENT 'When it was reviewed',
    reviewed_by               String                           COMMENT 'Who reviewed it; empty when not told',
    review_note               String                           COMMENT 'Note of the review; empty when none',
    has_evidence              Bool                             COMMENT 'False: there is no clause, and the columns behind this one say nothing',
    evidence_text             String                           COMMENT 'The clause, on one line',
    evidence_page             Nullable(UInt32)                 COMMENT 'Page of the clause',
    evidence_offset           Nullable(UInt32)                 COMMENT 'Offset of the clause in the text, in characters',
    evidence_section          LowCardinality(String)           COMMENT '3.1 or 3.2 of the article; empty when not told',
    series_exception          Bool                             COMMENT 'The clause holds for some series of the fund only',
    rule_id                   String                           COMMENT 'Rule that found the clause',
    parser_version            String                           COMMENT 'Version of what read the document',
    classifier_version        String                           COMMENT 'Version of what judged it'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, revision, source_sha256)
COMMENT 'What fund regulations declare about article 107 of the income tax law, every revision. Freshness depends on the day and is computed by the reader';

CREATE TABLE IF NOT EXISTS fact_factor ON CLUSTER 'replicas'
(
    run                  UInt32                 COMMENT 'Fund RUN without check digit',
    serie                LowCardinality(String) COMMENT 'Series name',
    date                 Date                   COMMENT 'Day that the factors hold for',
    revision             DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen',
    source_sha256        LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    source_line          UInt32                 COMMENT 'Line in the raw file, from 1; two lines of the current file for one day are a duplicate_factor_date (RULES 1)',
    distribution_factor  Decimal(18, 9)         COMMENT 'Factor de reparto, verified: (quota + payment) / quota; 1 when nothing was paid',
    adjustment_factor    Decimal(18, 9)         COMMENT 'Factor de ajuste, verified: change of the quota''s unit; 1 when none',
    quota                Decimal(18, 6)         COMMENT 'Valor cuota that the factors belong to; must equal ours (RULES 1)',
    currency             LowCardinality(String) COMMENT 'PESOS or DOLAR',
    evidence_url         String                 COMMENT 'Address of the document that proves the row',
    evidence_sha256      String                 COMMENT 'Hash of that document, hex'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, serie, date, revision, source_sha256, source_line)
COMMENT 'Verified factors, one row a calendar day, from which total returns are computed; every revision';

CREATE TABLE IF NOT EXISTS fact_exchange ON CLUSTER 'replicas'
(
    event_id           String                 COMMENT 'Lasting name of the event',
    event_revision     UInt32                 COMMENT 'Revision of the event, from 1: the highest is the event',
    revision           DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen',
    source_sha256      LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    source_line        UInt32                 COMMENT 'Line in the raw file, from 1',
    origin_run         UInt32                 COMMENT 'RUN of the fund whose quotas are given up, without check digit',
    origin_serie       LowCardinality(String) COMMENT 'Series whose quotas are given up',
    destination_run    UInt32                 COMMENT 'RUN of the fund whose quotas are received, without check digit',
    destination_serie  LowCardinality(String) COMMENT 'Series whose quotas are received',
    effective_date     Date                   COMMENT 'First day on which the quotas are those of the destination',
    valuation_date     Date                   COMMENT 'Day whose quota values the factor was computed from',
    factor             Decimal(18, 9)         COMMENT 'Quotas of the destination for one of the origin',
    evidence_url       String                 COMMENT 'Address of the document that proves the event',
    evidence_sha256    String                 COMMENT 'Hash of that document, hex'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (event_id, event_revision, revision, source_sha256)
COMMENT 'Exchanges (canjes) of one series'' quotas for another''s, every revision; followed forward only (RULES 1)';

CREATE TABLE IF NOT EXISTS fact_rename ON CLUSTER 'replicas'
(
    run                 UInt32                 COMMENT 'Fund RUN without check digit',
    previous_serie      LowCardinality(String) COMMENT 'Name that the series gave up',
    revision            DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen',
    source_sha256       LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    source_line         UInt32                 COMMENT 'Line in the raw file, from 1',
    current_serie       LowCardinality(String) COMMENT 'Name that the series took',
    first_current_date  Date                   COMMENT 'First day under the new name',
    evidence_url        String                 COMMENT 'Address of the document that proves the event',
    evidence_sha256     String                 COMMENT 'Hash of that document, hex'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, previous_serie, revision, source_sha256)
COMMENT 'Series that go on under another name, one identity under both (RULES 1); every revision';

CREATE TABLE IF NOT EXISTS fact_discontinuity ON CLUSTER 'replicas'
(
    run              UInt32                 COMMENT 'Fund RUN without check digit',
    serie            LowCardinality(String) COMMENT 'Series name',
    date             Date                   COMMENT 'First day after the break: no return reaches over it',
    revision         DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen',
    source_sha256    LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    source_line      UInt32                 COMMENT 'Line in the raw file, from 1',
    note             String                 COMMENT 'What happened',
    evidence_url     String                 COMMENT 'Address of the document that proves the event',
    evidence_sha256  String                 COMMENT 'Hash of that document, hex'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, serie, date, revision, source_sha256)
COMMENT 'Known breaks of series: known_discontinuity (RULES 1); every revision';

CREATE TABLE IF NOT EXISTS fact_risk_free ON CLUSTER 'replicas'
(
    name             LowCardinality(String) COMMENT 'Name of the rate, told with each figure that uses it',
    date             Date                   COMMENT 'Day from which the rate holds, until the next',
    revision         DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen',
    source_sha256    LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    source_line      UInt32                 COMMENT 'Line in the raw file, from 1',
    annual_percent   Decimal(18, 8)         COMMENT 'Rate, percent a year: 5.25 is 5.25 %',
    evidence_url     String                 COMMENT 'Address of the document that proves the rate',
    evidence_sha256  String                 COMMENT 'Hash of that document, hex'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (name, date, revision, source_sha256)
COMMENT 'Risk-free rates that Sharpe and Sortino ratios are measured against (RULES 5); every revision';

CREATE TABLE IF NOT EXISTS fact_vehicle ON CLUSTER 'replicas'
(
    run              UInt32                 COMMENT 'Fund RUN without check digit',
    revision         DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen',
    source_sha256    LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    source_line      UInt32                 COMMENT 'Line in the raw file, from 1',
    is_etf           Bool                   COMMENT 'The fund is exchange-traded; a fund without a row is unknown (RULES 11)',
    note             String                 COMMENT 'Remark; empty when none',
    evidence_url     String                 COMMENT 'Address of the document that proves the flag',
    evidence_sha256  String                 COMMENT 'Hash of that document, hex'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, revision, source_sha256)
COMMENT 'Which funds are exchange-traded, curated; every revision';

-- +goose Down
SELECT throwIf(true, 'facts are the durable history: no way down');

-- schema/00006_tac_and_risk.sql

-- +goose Up

-- Months. A closed month is one whose last day is on or before the cutoff. The monthly
-- values of a series are computed once, and copied from batch to batch until a day changes
-- on which they depend. Costs and risk are computed from months, not from days.

CREATE TABLE IF NOT EXISTS series_month_version ON CLUSTER 'replicas'
(
    batch  UInt64 COMMENT 'Batch',
    month  Date   COMMENT 'Last day of a closed month that this batch computed anew'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, month)
COMMENT 'Which months of series_month a batch computed anew; the others are those of the batch before';

CREATE TABLE IF NOT EXISTS series_month ON CLUSTER 'replicas'
(
    batch           UInt64                   COMMENT 'Batch',
    series_id       UInt32                   COMMENT 'Series id (registry)',
    month           Date                     COMMENT 'Last day of the closed month',
    quote_date      Nullable(Date)           COMMENT 'Day of the month-end quote: the last one of the month; null when it is invalid or over 7 days old (RULES 5)',
    equity          Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto on the last quoted day, at most 7 days old, full units of the series currency',
    growth          Nullable(Float64)        COMMENT 'This month-end quote as a multiple of the one before, accounting currency, factor-adjusted: 1.01 is a return of 1 %; null across a break (RULES 5)',
    peak            Nullable(Float64)        COMMENT 'Highest quote since the month-end quote before, as a multiple of it; null without growth',
    trough          Nullable(Float64)        COMMENT 'Lowest quote since the month-end quote before, as a multiple of it; null without growth',
    drawdown        Nullable(Float64)        COMMENT 'Deepest fall below an earlier quote since the month-end quote before, fraction, 0 or less; null without growth',
    cost_rate       Nullable(Float64)        COMMENT 'Mean of the daily TAC over cost_days, fraction a year (RULES 2); null without any',
    cost_days       UInt8                    COMMENT 'Days of the month with a daily TAC'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id, month)
COMMENT 'What the daily quotes of each series come to in each closed month';

CREATE TABLE IF NOT EXISTS tac_month ON CLUSTER 'replicas'
(
    batch           UInt64                           COMMENT 'Batch',
    series_id       UInt32                           COMMENT 'Series id (registry)',
    month           Date                             COMMENT 'Month end that the rate is for',
    kind            LowCardinality(String)           COMMENT 'synthetic: counts the costs of underlying funds; real: does not (RULES 2)',
    source          LowCardinality(String)           COMMENT 'stated: by a published file; computed: from the daily costs of the cartola',
    tac             Nullable(Float64)                COMMENT 'Annual cost rate, fraction: 0.0132 is 1.32 %; null where the computed mean is no rate between 0 and 1',
    cost_days       UInt8                            COMMENT 'Days in the mean, at least 15; 0 when stated',
    investor_class  LowCardinality(Nullable(String)) COMMENT 'Investor class that came with a stated rate: the dated TAC class'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id, month, kind)
COMMENT 'Cost rate of each series, month and kind';

CREATE TABLE IF NOT EXISTS risk_month ON CLUSTER 'replicas'
(
    batch                      UInt64                           COMMENT 'Batch',
    series_id                  UInt32                           COMMENT 'Series id (registry)',
    month                      Date                             COMMENT 'Month end of the snapshot',
    volatility_monthly_12m     Nullable(Float64)                COMMENT 'Sample standard deviation of the last 12 monthly returns, fraction; null unless all are known',
    volatility_monthly_36m     Nullable(Float64)                COMMENT 'The same of 36',
    volatility_annualized_12m  Nullable(Float64)                COMMENT 'volatility_monthly_12m × √12',
    volatility_annualized_36m  Nullable(Float64)                COMMENT 'volatility_monthly_36m × √12',
    max_drawdown_36m           Nullable(Float64)                COMMENT 'Deepest fall below an earlier daily quote of the 36 months, fraction, 0 or less; null unless all 36 monthly returns are known',
    risk_score                 Nullable(UInt8)                  COMMENT '0 to 100: half the rank of volatility_monthly_36m and half that of the drawdown among all series of the month that have both (RULES 5)',
    risk_level                 LowCardinality(Nullable(String)) COMMENT 'low below 34, medium below 67, else high; null without a score',
    downside_deviation_36m     Nullable(Float64)                COMMENT 'Root of the mean squared negative monthly return of 36 months × √12, fraction',
    var_95_1m                  Nullable(Float64)                COMMENT '5th percentile of 36 monthly returns, interpolated between neighbours, fraction: negative for a loss',
    beta_36m                   Nullable(Float64)                COMMENT 'Slope against the monthly returns of the own family in the same currency, at least 24 pairs; null without an index',
    tracking_error_36m         Nullable(Float64)                COMMENT 'Sample standard deviation of the difference to those × √12, fraction; null without an index',
    method_version             LowCardinality(String)           COMMENT 'Version of the risk rules'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id, month)
COMMENT 'Risk snapshot of each series with a month-end quote, closed months only (RULES 5)';

ALTER TABLE screener ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS volatility_monthly_12m    Nullable(Float64)                COMMENT 'Sample standard deviation of 12 monthly returns, fraction',
    ADD COLUMN IF NOT EXISTS volatility_monthly_36m    Nullable(Float64)                COMMENT 'Sample standard deviation of 36 monthly returns, fraction',
    ADD COLUMN IF NOT EXISTS volatility_annualized_12m Nullable(Float64)                COMMENT 'volatility_monthly_12m × √12',
    ADD COLUMN IF NOT EXISTS volatility_annualized_36m Nullable(Float64)                COMMENT 'volatility_monthly_36m × √12',
    ADD COLUMN IF NOT EXISTS max_drawdown_36m          Nullable(Float64)                COMMENT 'Deepest fall in 36 months of daily quotes, fraction, 0 or less',
    ADD COLUMN IF NOT EXISTS risk_score                Nullable(UInt8)                  COMMENT '0 to 100 among all series of risk_date (RULES 5)',
    ADD COLUMN IF NOT EXISTS risk_level                LowCardinality(Nullable(String)) COMMENT 'low, medium or high',
    ADD COLUMN IF NOT EXISTS risk_date                 Nullable(Date)                   COMMENT 'Month end of the newest snapshot of the series; null without any',
    ADD COLUMN IF NOT EXISTS risk_method_version       LowCardinality(Nullable(String)) COMMENT 'Version of the risk rules; null without a snapshot';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00007_market.sql

-- +goose Up

-- The daily market has one row for each series and day, with its changes and how they
-- compare with those of its peers. It is the base of all-funds, market-summary, family
-- indices and rankings. Like series_day, it is rebuilt by complete days: market_day_version lists
-- which batch built which day, and a reader of batch N takes the newest build up to N.

CREATE TABLE IF NOT EXISTS classification ON CLUSTER 'replicas'
(
    batch           UInt64                           COMMENT 'Batch',
    series_id       UInt32                           COMMENT 'Series id (registry)',
    source          LowCardinality(String)           COMMENT 'comparator: families of the regulator; sheet: category of the association',
    valid_from      Date                             COMMENT 'First day on which the statement counts; it holds until the next one of its source',
    stated_on       Date                             COMMENT 'Date of the file that made the statement first',
    family_rar      LowCardinality(Nullable(String)) COMMENT 'familia_rar: the peer group; null from the sheet',
    family_display  LowCardinality(Nullable(String)) COMMENT 'familia_visualizador; null from the sheet',
    category        LowCardinality(Nullable(String)) COMMENT 'Category by that statement (RULES 6); null while unclassified'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id, source, valid_from)
COMMENT 'What each series was classified as, and since when. Days before the first statement have the first one, with valid_from 1970-01-02 (RULES 7)';

CREATE TABLE IF NOT EXISTS market_day_version ON CLUSTER 'replicas'
(
    date   Date   COMMENT 'Day whose rows were built',
    build  UInt64 COMMENT 'Batch that built them'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY (date, build)
COMMENT 'Which batch built which day of market_day, family_day and manager_day';

CREATE TABLE IF NOT EXISTS market_day ON CLUSTER 'replicas'
(
    date              Date                             COMMENT 'Day of the quote',
    series_id         UInt32                           COMMENT 'Series id (registry)',
    build             UInt64                           COMMENT 'Batch that built this day',
    manager_rut       UInt32                           COMMENT 'RUT of the manager that reported the day, without check digit; 0 when void',
    currency          LowCardinality(String)           COMMENT 'Accounting currency: PESOS, DOLAR, or as written where unknown',
    price             Nullable(Decimal(18, 6))         COMMENT 'Valor cuota, series currency; null when void',
    equity            Nullable(Decimal(18, 4))         COMMENT 'Patrimonio neto, full units of the series currency',
    shareholders      Nullable(UInt32)                 COMMENT 'Partícipes',
    flow              Nullable(Float64)                COMMENT 'Net contribution of the day: quotas contributed less redeemed, at the day''s quota, full units of the series currency',
    previous_date     Nullable(Date)                   COMMENT 'Quote before, at most 7 days older',
    previous_equity   Nullable(Decimal(18, 4))         COMMENT 'Equity on previous_date, full units: the opening equity of the day',
    daily_change      Nullable(Float64)                COMMENT 'Percent points from previous_date, with the factors that the cartola states; null across a break (RULES 7)',
    month_date        Nullable(Date)                   COMMENT 'Quote at one month earlier or at most 7 days before',
    month_equity      Nullable(Decimal(18, 4))         COMMENT 'Equity on month_date, full units: the opening equity of the month',
    monthly_change    Nullable(Float64)                COMMENT 'Percent points from month_date, with the factors that the cartola states; null across a break (RULES 7)',
    family_rar        LowCardinality(Nullable(String)) COMMENT 'familia_rar as of the day',
    family_display    LowCardinality(Nullable(String)) COMMENT 'familia_visualizador as of the day',
    category          LowCardinality(Nullable(String)) COMMENT 'Category as of the day (RULES 6)',
    classified_later  Bool                             COMMENT 'True: no classification is as old as the day; the first later one stands in (RULES 7)',
    daily_outlier     LowCardinality(String)           COMMENT 'Why the daily change stays out of indices and rankings: cap or peers; empty when it does not (RULES 7)',
    monthly_outlier   LowCardinality(String)           COMMENT 'The same for the monthly change',
    spike             Bool                             COMMENT 'Daily move of over 10 % of which at least 80 % came back with the next quote, or that return: both stay out of index history (RULES 7)'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYear(date)
ORDER BY (date, series_id, build)
SETTINGS index_granularity = 1024
COMMENT 'One row per series and day: price, changes, equity, flows, classification, outliers';

CREATE TABLE IF NOT EXISTS family_day ON CLUSTER 'replicas'
(
    date             Date                             COMMENT 'Day',
    family_rar       LowCardinality(String)           COMMENT 'familia_rar',
    currency         LowCardinality(String)           COMMENT 'PESOS or DOLAR',
    build            UInt64                           COMMENT 'Batch that built this day',
    family_display   LowCardinality(Nullable(String)) COMMENT 'familia_visualizador',
    previous_date    Nullable(Date)                   COMMENT 'Day from which daily_return counts: the last one on which the family was quoted',
    daily_return     Nullable(Float64)                COMMENT 'Mean daily change of the eligible series weighted by opening equity, fraction; null without any',
    chained_return   Nullable(Float64)                COMMENT 'The same without one-day spikes: what the index is chained from, fraction',
    eligible_series  UInt32                           COMMENT 'Series in daily_return',
    monthly_return   Nullable(Float64)                COMMENT 'Mean monthly change weighted by equity at its start, fraction; null without any',
    equity           Decimal(38, 4)                   COMMENT 'Equity of all its series with a quote that day, full units of currency',
    series           UInt32                           COMMENT 'Series with a quote that day',
    funds            UInt32                           COMMENT 'Their funds'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYear(date)
ORDER BY (date, family_rar, currency, build)
COMMENT 'Each family in each currency on each day';

CREATE TABLE IF NOT EXISTS manager_day ON CLUSTER 'replicas'
(
    date          Date                   COMMENT 'Day',
    manager_rut   UInt32                 COMMENT 'RUT of the manager, without check digit',
    currency      LowCardinality(String) COMMENT 'Accounting currency of the series',
    build         UInt64                 COMMENT 'Batch that built this day',
    equity        Decimal(38, 4)         COMMENT 'Equity of its series in that currency, full units of it',
    shareholders  UInt64                 COMMENT 'Partícipes, summed over series: not unique people',
    series        UInt32                 COMMENT 'Series with a quote that day',
    runs          Array(UInt32)          COMMENT 'RUNs of their funds, without check digit, ascending'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYear(date)
ORDER BY (date, manager_rut, currency, build)
COMMENT 'Each manager in each currency on each day';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00008_total_return.sql

-- +goose Up

CREATE TABLE IF NOT EXISTS continuation ON CLUSTER 'replicas'
(
    batch              UInt64                 COMMENT 'Batch',
    series_id          UInt32                 COMMENT 'Series whose holdings go on elsewhere (registry)',
    hop                UInt8                  COMMENT 'Place of the exchange on the way, from 1; at most 6, of which the sixth is never followed',
    origin_id          UInt32                 COMMENT 'Series whose quotas are given up: series_id at the first hop, then the destination of the hop before',
    destination_id     UInt32                 COMMENT 'Series whose quotas are received; 0 where no file ever had a quote of it',
    effective_date     Date                   COMMENT 'First day on which the quotas are those of the destination',
    ambiguous_from     Nullable(Date)         COMMENT 'First day on which a second exchange out of the origin is effective: from then on neither is followed; null where there is one',
    flaw               LowCardinality(String) COMMENT 'Why the exchange is not followed: continuation_cycle, continuation_limit or invalid_continuation (RULES 1); empty where it is. The last hop where not empty',
    event_id           String                 COMMENT 'Lasting name of the event',
    event_revision     UInt32                 COMMENT 'Revision of the event',
    origin_run         String                 COMMENT 'RUN of the origin with check digit',
    origin_serie       String                 COMMENT 'Series name of the origin',
    destination_run    String                 COMMENT 'RUN of the destination with check digit',
    destination_serie  String                 COMMENT 'Series name of the destination',
    valuation_date     Date                   COMMENT 'Day whose quota values the factor was computed from',
    factor             Decimal(18, 9)         COMMENT 'Quotas of the destination for one of the origin',
    evidence_url       String                 COMMENT 'Address of the document that proves the event',
    evidence_sha256    String                 COMMENT 'Hash of that document, hex'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id, hop)
COMMENT 'How the holdings of exchanged series go on in others, forward only and at most five hops far (RULES 1). A window uses the hops that are effective by its end';

CREATE TABLE IF NOT EXISTS continued_history ON CLUSTER 'replicas'
(
    batch      UInt64 COMMENT 'Batch',
    series_id  UInt32 COMMENT 'Series whose holdings go on elsewhere (registry)',
    quotes     Array(Tuple(part UInt8, date Date, quota Nullable(Decimal(18, 6)), currency String))
                      COMMENT 'Quotes by date: of part 0 until the series is exchanged, then of part 1, the destination of hop 1, and so on (continuation)',
    breaks     Array(Tuple(part UInt8, date Date, kind String))
                      COMMENT 'Breaks inside that history as in discontinuity, but adjustments; those between two parts belong to the later one'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id)
COMMENT 'The histories of exchanged series, each joined with those that its holdings go on in (RULES 1)';

CREATE TABLE IF NOT EXISTS fx_uf_rate ON CLUSTER 'replicas'
(
    batch  UInt64 COMMENT 'Batch',
    date   Date   COMMENT 'Calendar day, with or without publication; the first is that of the oldest indicator',
    fx     Tuple(date Nullable(Date), value Nullable(Decimal(18, 6)), sha256 Nullable(String), revision Nullable(DateTime64(3, 'UTC')))
                  COMMENT 'Dólar observado last published on or before the day, however old: its day, CLP for one US dollar, hash of the file, when that was published; null before the first',
    uf     Tuple(date Nullable(Date), value Nullable(Decimal(18, 6)), sha256 Nullable(String), revision Nullable(DateTime64(3, 'UTC')))
                  COMMENT 'UF of the very day: its day, CLP for one UF, hash of the file, when that was published; null where there is none'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, date)
COMMENT 'What quotes of each calendar day are converted with (RULES 1)';

ALTER TABLE discontinuity ON CLUSTER 'replicas' COMMENT COLUMN kind
    'currency_change; or a known discontinuity: gap (over 31 days), restart (equity 0, then more), adjustment (factor de ajuste not 1), curated (an event says so; date is the first day after the break)';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00009_investment_funds.sql

-- +goose Up

-- Investment funds and their series. Their days are rebuilt completely, like those of
-- mutual funds in series_day, but by builds of their own: fi_day_version lists which batch
-- built which day, and a reader of batch N takes the newest build up to N. The breaks,
-- returns and risk of their series are in the same tables as those of mutual funds.

ALTER TABLE fact_investment_fund ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS closed Bool COMMENT 'True: the register calls the fund no vigente; false: it calls it vigente, or lists it without a word';

ALTER TABLE registry ON CLUSTER 'replicas'
    COMMENT COLUMN kind 'manager, fund, series (of mutual funds) or fi_series (of investment funds): ids are unique inside a kind, and both kinds of series share one space',
    COMMENT COLUMN key 'agf:RUT, fund:RUN, series:RUN:SERIE or fi:RUN:SERIE, with check digits';

ALTER TABLE manager ON CLUSTER 'replicas'
    COMMENT COLUMN mutual_funds 'Mutual funds in the register, open or closed, without exchange-traded ones',
    COMMENT COLUMN investment_funds 'Investment funds in the register, redeemable or not, without exchange-traded ones',
    COMMENT COLUMN etfs 'Exchange-traded funds of either register, by curated flag';

ALTER TABLE fund ON CLUSTER 'replicas'
    COMMENT COLUMN vehicle 'etf by curated flag, whatever the register; else investment_fund or mutual_fund (RULES 11)',
    COMMENT COLUMN manager_id 'Manager id (registry); 0 where no source names one',
    COMMENT COLUMN current 'Open in the register at the cutoff; without a register entry: has a current series. Investment funds: the register does not call it no vigente';

CREATE TABLE IF NOT EXISTS fi_day_version ON CLUSTER 'replicas'
(
    date   Date   COMMENT 'Day whose rows were built',
    build  UInt64 COMMENT 'Batch that built them'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY (date, build)
COMMENT 'Which batch built which day of fi_day';

CREATE TABLE IF NOT EXISTS fi_day ON CLUSTER 'replicas'
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
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYear(date)
ORDER BY (series_id, date, build)
SETTINGS index_granularity = 1024
COMMENT 'One row per series of an investment fund and day, corrections resolved';

CREATE TABLE IF NOT EXISTS fi_instrument ON CLUSTER 'replicas'
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
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, instrument_id)
COMMENT 'Instruments of investment funds: their series, and one row for each fund itself';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00010_renames.sql

-- +goose Up

-- A renamed series is one series. Every name that it has or had finds it, and its rows have
-- the id of its newest name (RULES 1 and 12).

CREATE TABLE IF NOT EXISTS series_rename ON CLUSTER 'replicas'
(
    batch               UInt64                 COMMENT 'Batch',
    run                 UInt32                 COMMENT 'Fund RUN without check digit',
    previous_serie      LowCardinality(String) COMMENT 'Name that the series gave up',
    current_serie       LowCardinality(String) COMMENT 'Name that the series took',
    first_current_date  Date                   COMMENT 'First day under the new name',
    reason              LowCardinality(String) COMMENT 'Why it is not applied: several_previous (two names become this one), cycle, chain_too_long (over 32 renames), dates_out_of_order, unknown_series (neither name was ever quoted), both_quoted (the two lived side by side: not one series); empty when it is applied'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, run, previous_serie)
COMMENT 'Every rename that the files of a batch state, corrections resolved, and whether it is applied';

CREATE TABLE IF NOT EXISTS series_label ON CLUSTER 'replicas'
(
    batch        UInt64                 COMMENT 'Batch',
    series_id    UInt32                 COMMENT 'Series id (registry): that of the newest name',
    label_id     UInt32                 COMMENT 'Id of this name (registry); finds the series like series_id',
    run          UInt32                 COMMENT 'Fund RUN without check digit',
    serie        LowCardinality(String) COMMENT 'Name',
    position     UInt8                  COMMENT '1 for the newest name, 2 for the one before …',
    valid_from   Date                   COMMENT 'First day under this name; 1970-01-01 for the first one',
    valid_until  Date                   COMMENT 'Last day under this name; 2149-06-06 for the newest one'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, label_id)
COMMENT 'The names of renamed series. Series that never changed their name have no row: see batch_series_name';

ALTER TABLE series ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS previous_serie     Nullable(String) COMMENT 'Name before the newest rename; null without a rename',
    ADD COLUMN IF NOT EXISTS current_serie      Nullable(String) COMMENT 'Name since the newest rename, which may lie after the cutoff; null without a rename',
    ADD COLUMN IF NOT EXISTS first_current_date Nullable(Date)   COMMENT 'First day under current_serie; null without a rename',
    ADD COLUMN IF NOT EXISTS alias_ids          Array(UInt32)    COMMENT 'Ids that find the series, that of the newest name first; empty without a rename',
    COMMENT COLUMN serie 'Series name at the cutoff';

ALTER TABLE screener ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS previous_serie     Nullable(String) COMMENT 'Name before the newest rename; null without a rename',
    ADD COLUMN IF NOT EXISTS current_serie      Nullable(String) COMMENT 'Name since the newest rename, which may lie after the cutoff; null without a rename',
    ADD COLUMN IF NOT EXISTS first_current_date Nullable(Date)   COMMENT 'First day under current_serie; null without a rename',
    ADD COLUMN IF NOT EXISTS alias_ids          Array(UInt32)    COMMENT 'Ids that find the series, that of the newest name first; empty without a rename',
    COMMENT COLUMN serie 'Series name at the cutoff';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00014_stated.sql

-- +goose Up

-- The series and managers that the cartolas of each batch name. A batch need not read the
-- facts of ten years to find a new series or the name of a manager.

CREATE TABLE IF NOT EXISTS quota_series ON CLUSTER 'replicas'
(
    batch  UInt64 COMMENT 'Batch whose new files speak of the series and none before did',
    run    UInt32 COMMENT 'Fund RUN without check digit',
    serie  String COMMENT 'Series name'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY (run, serie)
COMMENT 'Series that a cartola speaks of, each once';

CREATE TABLE IF NOT EXISTS quota_manager ON CLUSTER 'replicas'
(
    batch        UInt64                 COMMENT 'Batch in which the files are new',
    run          UInt32                 COMMENT 'Fund RUN without check digit',
    manager_rut  UInt32                 COMMENT 'Manager (AGF) RUT without check digit',
    manager      LowCardinality(String) COMMENT 'Manager name as the cartola writes it, spaces collapsed',
    stated_on    Date                   COMMENT 'Last day on which these files state it'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY (batch, run, manager_rut)
COMMENT 'Who manages each fund by the new cartolas of each batch';

-- Removes rows that an interrupted run of this migration has left.
TRUNCATE TABLE quota_series ON CLUSTER 'replicas';
INSERT INTO quota_series (batch, run, serie)
SELECT min(known.batch), run, serie
FROM fact_quota
INNER JOIN (SELECT sha256, min(batch) AS batch FROM batch_new_file GROUP BY sha256) AS known ON known.sha256 = source_sha256
GROUP BY run, serie;

-- Removes rows that an interrupted run of this migration has left.
TRUNCATE TABLE quota_manager ON CLUSTER 'replicas';
INSERT INTO quota_manager (batch, run, manager_rut, manager, stated_on)
SELECT known.batch, run, manager_rut, manager, max(date)
FROM fact_quota
INNER JOIN (SELECT sha256, min(batch) AS batch FROM batch_new_file GROUP BY sha256) AS known ON known.sha256 = source_sha256
WHERE NOT void
GROUP BY known.batch, run, manager_rut, manager;

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00016_month_currency.sql

-- +goose Up

-- A series may have changed its accounting currency after the month closed. The return of
-- that month is then in the old currency. For older batches, only the currency of the
-- series is known here. series_return has the currency of the window itself.

ALTER TABLE screener ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS currency_last_closed_month LowCardinality(Nullable(String)) DEFAULT currency
        COMMENT 'Currency of return_last_closed_month, which the series may have left since; the other windows end in currency'
        AFTER return_last_closed_month;

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00017_index_days.sql

-- +goose Up

-- A day on which no series of a family counts is not an index date. The next index date
-- chains over it, to an index date at most seven days before (RULES 7). Which days are
-- index dates depends on all earlier days, so they are found again for each batch. The
-- values of a day are kept by builds, like the rest of the market.

ALTER TABLE market_day ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS spikes   Bool COMMENT 'The quote is a spike: a daily move of over 10 % of which at least 80 % came back with the next quote' AFTER spike,
    ADD COLUMN IF NOT EXISTS unspikes Bool COMMENT 'The quote before is a spike, from which this one comes back' AFTER spikes,
    COMMENT COLUMN currency 'Accounting currency: PESOS, DOLAR, or as written where unknown; of a void row that of the quote before, at most 31 days older, else empty',
    COMMENT COLUMN previous_date 'Quote before, at most 7 days older; void rows are passed over (RULES 7)',
    COMMENT COLUMN daily_change 'Percent points from previous_date, with the factors that the cartola states; null of a void row and across a break (RULES 7)',
    COMMENT COLUMN month_date 'Last quote at one month earlier or at most 7 days before; void rows are passed over (RULES 7)',
    COMMENT COLUMN monthly_change 'Percent points from month_date, with the factors that the cartola states; null of a void row and across a break (RULES 7)',
    COMMENT COLUMN spike 'spikes or unspikes: the daily change stays out of index history (RULES 7)';

ALTER TABLE family_day ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS quoted UInt32 DEFAULT series COMMENT 'Of the series, those with a quote on the very day',
    COMMENT COLUMN previous_date 'Last day before on which the family was quoted in the currency, at most 7 days earlier; it need not be an index date (index_day)',
    COMMENT COLUMN daily_return 'Mean change since previous_date of the eligible series, weighted by equity on previous_date, fraction; null without any',
    COMMENT COLUMN chained_return 'The same without one-day spikes: the step of the index where it chains to previous_date, fraction';

CREATE TABLE IF NOT EXISTS family_long_step ON CLUSTER 'replicas'
(
    date           Date                   COMMENT 'Day to which the step leads',
    family_rar     LowCardinality(String) COMMENT 'familia_rar',
    currency       LowCardinality(String) COMMENT 'PESOS or DOLAR',
    build          UInt64                 COMMENT 'Batch that built this day',
    previous_date  Date                   COMMENT 'Day from which the step leads, at most 7 days earlier',
    changes        Array(Tuple(series_id UInt32, equity Float64, change Float64, spike Bool))
                                          COMMENT 'Series that count: equity on previous_date in full units of currency, change since then as a fraction, whether the quote of either day is a spike, which the index leaves out'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYear(date)
ORDER BY (date, family_rar, currency, previous_date, build)
COMMENT 'Steps of families over days between, where the next day on which the family was quoted gave its index no point. Most days have none (RULES 7)';

CREATE TABLE IF NOT EXISTS index_day ON CLUSTER 'replicas'
(
    batch          UInt64                 COMMENT 'Batch',
    family_rar     LowCardinality(String) COMMENT 'familia_rar',
    currency       LowCardinality(String) COMMENT 'PESOS or DOLAR',
    date           Date                   COMMENT 'Day on which the family was quoted in the currency',
    opening_date   Nullable(Date)         COMMENT 'Day since which market-summary counts the change of this day: the previous index date as it was known on this day, when no spike of it could be; null where no series counts',
    previous_date  Nullable(Date)         COMMENT 'Previous index date, at most 7 days earlier; null on the base of 100, where the level carries on after a longer gap, and on a day that is no index date',
    step           Nullable(Float64)      COMMENT 'Change of the index since previous_date, fraction; null where that is',
    value          Nullable(Float64)      COMMENT 'Level of the index, 100 on its base; null on a day that is no index date'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, family_rar, currency, date)
COMMENT 'Indices of families by day, and which days are index dates (RULES 7)';

-- Until the next batch is published, the published one is answered from the steps that its
-- build knew.
-- Removes rows that an interrupted run of this migration has left.
TRUNCATE TABLE index_day ON CLUSTER 'replicas';
INSERT INTO index_day (batch, family_rar, currency, date, opening_date, previous_date, step, value)
WITH (SELECT max(batch) FROM batch) AS newest
SELECT
    newest, family_rar, currency, date,
    if(daily_return IS NULL, NULL, previous_date),
    if(is_first OR chained_return IS NULL, NULL, previous_date),
    if(is_first, NULL, chained_return),
    if(is_first OR chained_return IS NOT NULL,
       100 * exp(sum(if(is_first, 0, log1p(ifNull(chained_return, 0)))) OVER (PARTITION BY family_rar, currency ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)),
       NULL)
FROM
(
    SELECT *, row_number() OVER (PARTITION BY family_rar, currency ORDER BY date) = 1 AS is_first
    FROM family_day
    WHERE (date, build) IN (SELECT date, max(build) FROM market_day_version WHERE build <= (SELECT max(batch) FROM batch) GROUP BY date)
);

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00018_days.sql

-- +goose Up

-- Until which day a row counts for its series if no newer row follows, and which days have
-- data. A row of an older build counts only on its own day. In an older batch, the days
-- with data are the complete days.

ALTER TABLE market_day ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS stands_until Date DEFAULT date
        COMMENT 'Last day on which the row stands for its series: that before the next row, before the fund ended or before its quotas were exchanged, and at most 7 days after its own'
        AFTER series_id;

ALTER TABLE family_day ON CLUSTER 'replicas'
    COMMENT COLUMN equity 'Equity of the rows that stand for its series that day, full units of currency',
    COMMENT COLUMN series 'Series for which a row with a quote stands that day',
    COMMENT COLUMN previous_date 'Last day before on which the family was quoted in the currency, at most 7 days earlier; it need not be an index date (index_day). Null where none of its series is quoted that day';

ALTER TABLE manager_day ON CLUSTER 'replicas'
    COMMENT COLUMN equity 'Equity of the rows that stand for its series that day, in that currency, full units of it',
    COMMENT COLUMN series 'Series for which a row with a quote stands that day';

ALTER TABLE series ON CLUSTER 'replicas'
    COMMENT COLUMN current 'Quoted within 7 days of the cutoff, and neither its fund ended nor its quotas exchanged by then';

ALTER TABLE market_completeness ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS void_series UInt32
        COMMENT 'Of the present series, those whose row of the day is void'
        AFTER present_series,
    ADD COLUMN IF NOT EXISTS has_data Bool DEFAULT complete
        COMMENT 'At least half of the prior series, and one series at all, have a quote that day: views of the market answer for it'
        AFTER present_equity_clp,
    COMMENT COLUMN date 'Day with at least one row',
    COMMENT COLUMN prior_series 'Series with a quote in the seven days before, or in the seven days up to the last day with any row',
    COMMENT COLUMN present_series 'Of these, with a row that day, void ones included: what was published and rejected has been reported',
    COMMENT COLUMN prior_equity_clp 'Equity of the prior series at their last quote before the day, CLP; dollars at the dólar observado of that quote''s day or of at most 7 days before; others left out',
    COMMENT COLUMN complete 'The day has data, present is at least 98 % of prior series and 99 % of their equity, and void at most one series or 2 % of prior; the very first day is, with a quote (RULES 1)';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00019_tac_kind.sql

-- +goose Up

-- A cost rate has a kind: synthetic, stated or computed. From here on, a stated and a
-- computed real rate of the same month are both kept, so that a change compares two rates
-- of one kind.

ALTER TABLE tac_month ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS tac_kind LowCardinality(String) DEFAULT if(kind = 'synthetic', kind, source)
        COMMENT 'synthetic: stated, and counts the costs of underlying funds. stated, computed: the source of a rate that does not. Rates of different kinds do not compare',
    ADD COLUMN IF NOT EXISTS decimals Nullable(UInt8)
        COMMENT 'Decimals that the percentages of the stating file are published with: as many as its finest, at least 2; null when computed. A difference below half of the last is rounding',
    COMMENT COLUMN source 'stated: by a published file; computed: from the daily costs of the cartola. A month may have both',
    COMMENT COLUMN cost_days 'Daily values in the mean of a computed rate: a month needs 15, else it has none; 0 when stated';

ALTER TABLE screener ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS tac_kind LowCardinality(Nullable(String))
        COMMENT 'synthetic, stated or computed, of tac; null without a rate. Kinds do not compare: tac_month.tac_kind'
        AFTER tac;

ALTER TABLE series ON CLUSTER 'replicas'
    COMMENT COLUMN tac_kind 'synthetic, stated or computed; null without a rate. Kinds do not compare: tac_month.tac_kind';

-- For the existing batches.
ALTER TABLE series ON CLUSTER 'replicas'
    UPDATE tac_kind = if((batch, series_id, ifNull(tac_date, toDate(0))) IN (SELECT batch, series_id, month FROM tac_month WHERE tac_kind = 'stated'), 'stated', 'computed')
    WHERE tac_kind = 'real'
    SETTINGS mutations_sync = 2, allow_nondeterministic_mutations = 1;

ALTER TABLE screener ON CLUSTER 'replicas'
    UPDATE tac_kind = multiIf((batch, series_id) IN (SELECT batch, series_id FROM series WHERE tac_kind = 'synthetic'), 'synthetic',
                              (batch, series_id) IN (SELECT batch, series_id FROM series WHERE tac_kind = 'stated'),    'stated',
                              'computed')
    WHERE tac IS NOT NULL
    SETTINGS mutations_sync = 2, allow_nondeterministic_mutations = 1;

-- These comments state rules that were valid before, in the place where readers look for
-- them.

ALTER TABLE series_month ON CLUSTER 'replicas'
    COMMENT COLUMN cost_days 'Days of the month with a daily TAC. With fewer than 15 the month has no computed rate (tac_month)';

ALTER TABLE risk_month ON CLUSTER 'replicas'
    COMMENT COLUMN volatility_monthly_12m 'Sample standard deviation of the last 12 monthly returns, fraction, adjusted by the factors that the cartola states; price returns (series_return) are not; null unless all are known',
    COMMENT COLUMN max_drawdown_36m 'Deepest fall below an earlier daily quote of the 36 months, fraction, 0 or less, adjusted by the factors that the cartola states; price returns (series_return) are not; null unless all 36 monthly returns are known',
    COMMENT COLUMN risk_score '100 times the mean of two percentiles: of volatility_monthly_36m and of the depth of the drawdown, among the series of the month that have both, mutual funds and investment funds each among themselves. The percentile is the mid-rank: the share of series with a smaller value and half of the share of those with the same, itself included (RULES 5)';

ALTER TABLE screener ON CLUSTER 'replicas'
    COMMENT COLUMN daily_change 'Percent points from the quote before, adjusted by the factors that the cartola states; return_1m and the other price returns are not',
    COMMENT COLUMN monthly_change 'Percent points from the quote of a month before, adjusted by the factors that the cartola states; return_1m is not, and differs where a distribution was paid',
    COMMENT COLUMN return_1m 'Price return 1m, fraction, accounting currency: of the quotas alone. daily_change, monthly_change, volatility and drawdown are adjusted by factors, return_1m is not',
    COMMENT COLUMN volatility_monthly_12m 'Sample standard deviation of 12 monthly returns, fraction, adjusted by the factors that the cartola states; return_1m is not',
    COMMENT COLUMN volatility_monthly_36m 'Sample standard deviation of 36 monthly returns, fraction, adjusted by the factors that the cartola states; return_1m is not',
    COMMENT COLUMN max_drawdown_36m 'Deepest fall in 36 months of daily quotes, fraction, 0 or less, adjusted by the factors that the cartola states; return_1m is not',
    COMMENT COLUMN risk_score '0 to 100 among the series of risk_date by mid-rank percentiles: risk_month.risk_score';

ALTER TABLE series_latest ON CLUSTER 'replicas'
    COMMENT COLUMN daily_change 'Percent points from previous_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)',
    COMMENT COLUMN monthly_change 'Percent points from month_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)';

ALTER TABLE market_day ON CLUSTER 'replicas'
    COMMENT COLUMN daily_change 'Percent points from previous_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)',
    COMMENT COLUMN monthly_change 'Percent points from month_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)';

ALTER TABLE series_return ON CLUSTER 'replicas'
    COMMENT COLUMN value 'Price return in accounting currency, fraction; 3y_ann and 5y_ann per year. Of the quotas alone: market_day.daily_change and monthly_change are adjusted by factors, this is not';

ALTER TABLE family_day ON CLUSTER 'replicas'
    COMMENT COLUMN series 'Series for which a row with a quote stands that day, also those in no mean. Over all families and both currencies they are the classified series but those in any other currency';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00020_people_tables.sql

-- +goose Up

-- The comment of a table that holds more than the published batch says so, and names the
-- view with one row for each key. A sum over such a table would also count other kept
-- batches, superseded days or corrected rows.

ALTER TABLE classification ON CLUSTER 'replicas' MODIFY COMMENT 'What each series was classified as, and since when. Days before the first statement have the first one, with valid_from 1970-01-02 (RULES 7). Holds several batches: read current_classification';
ALTER TABLE continuation ON CLUSTER 'replicas' MODIFY COMMENT 'How the holdings of exchanged series go on in others, forward only and at most five hops far (RULES 1). A window uses the hops that are effective by its end. Holds several batches: read current_continuation';
ALTER TABLE continued_history ON CLUSTER 'replicas' MODIFY COMMENT 'The histories of exchanged series, each joined with those that its holdings go on in (RULES 1). Holds several batches: read current_continued_history';
ALTER TABLE series_day_version ON CLUSTER 'replicas' MODIFY COMMENT 'Which batch built which day of series_day, superseded ones too. Holds superseded days: read current_series_day, which takes the newest build of each day';
ALTER TABLE family_day ON CLUSTER 'replicas' MODIFY COMMENT 'Each family in each currency on each day. Holds superseded days: read current_family_day';
ALTER TABLE family_long_step ON CLUSTER 'replicas' MODIFY COMMENT 'Steps of families over days between, where the next day on which the family was quoted gave its index no point. Most days have none (RULES 7). Holds superseded days: read current_family_long_step';
ALTER TABLE fi_day ON CLUSTER 'replicas' MODIFY COMMENT 'One row per series of an investment fund and day, corrections resolved. Holds superseded days: read current_fi_day';
ALTER TABLE fi_day_version ON CLUSTER 'replicas' MODIFY COMMENT 'Which batch built which day of fi_day, superseded ones too. Holds superseded days: read current_fi_day, which takes the newest build of each day';
ALTER TABLE fi_instrument ON CLUSTER 'replicas' MODIFY COMMENT 'Instruments of investment funds: their series, and one row for each fund itself. Holds several batches: read current_fi_instrument';
ALTER TABLE fund ON CLUSTER 'replicas' MODIFY COMMENT 'Funds of every vehicle. Holds several batches: read current_fund';
ALTER TABLE index_day ON CLUSTER 'replicas' MODIFY COMMENT 'Indices of families by day, and which days are index dates (RULES 7). Holds several batches: read current_index_day; the points alone: current_family_index';
ALTER TABLE manager ON CLUSTER 'replicas' MODIFY COMMENT 'Managers (AGF). Holds several batches: read current_manager';
ALTER TABLE manager_day ON CLUSTER 'replicas' MODIFY COMMENT 'Each manager in each currency on each day. Holds superseded days: read current_manager_day';
ALTER TABLE market_day_version ON CLUSTER 'replicas' MODIFY COMMENT 'Which batch built which day of market_day, family_day and manager_day, superseded ones too. Holds superseded days: read current_market_day, current_family_day or current_manager_day, which take the newest build of each day';
ALTER TABLE market_day ON CLUSTER 'replicas' MODIFY COMMENT 'One row per series and day: price, changes, equity, flows, classification, outliers. Holds superseded days: read current_market_day';
ALTER TABLE series_month_version ON CLUSTER 'replicas' MODIFY COMMENT 'Which months of series_month a batch computed anew; the others are those of the batch before. Holds several batches: read current_series_month';
ALTER TABLE risk_month ON CLUSTER 'replicas' MODIFY COMMENT 'Risk snapshot of each series with a month-end quote, closed months only (RULES 5). Holds several batches: read current_risk_month';
ALTER TABLE screener ON CLUSTER 'replicas' MODIFY COMMENT 'One row per series alive at the cutoff: what the screener filters, sorts and shows. Holds several batches: read current_screener';
ALTER TABLE series ON CLUSTER 'replicas' MODIFY COMMENT 'Series of mutual funds that ever had a quote up to the cutoff. Holds several batches: read current_series';
ALTER TABLE series_day ON CLUSTER 'replicas' MODIFY COMMENT 'One row per series and day, corrections resolved. Holds superseded days: read current_series_day';
ALTER TABLE series_latest ON CLUSTER 'replicas' MODIFY COMMENT 'Latest day of each series, with its changes. Holds several batches: read current_series_latest';
ALTER TABLE series_month ON CLUSTER 'replicas' MODIFY COMMENT 'What the daily quotes of each series come to in each closed month. Holds several batches: read current_series_month';
ALTER TABLE series_rename ON CLUSTER 'replicas' MODIFY COMMENT 'Every rename that the files of a batch state, corrections resolved, and whether it is applied. Holds several batches: read current_series_rename';
ALTER TABLE series_return ON CLUSTER 'replicas' MODIFY COMMENT 'Price returns in accounting currency, eight windows a series, at the cutoff. Holds several batches: read current_series_return';
ALTER TABLE tac_month ON CLUSTER 'replicas' MODIFY COMMENT 'Cost rates of each series and month, one of each tac_kind. Holds several batches: read current_tac_month';
ALTER TABLE window_target ON CLUSTER 'replicas' MODIFY COMMENT 'Target dates of the windows of a batch, the same for every series. Holds several batches: read current_window_target';

-- A closed series is no longer in the newest catalogues.
ALTER TABLE series ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS last_family   LowCardinality(Nullable(String)) COMMENT 'familia_rar that the newest comparator file to name one gives the series, closed or not: what survivorship is studied by; null where none ever did',
    ADD COLUMN IF NOT EXISTS last_category LowCardinality(Nullable(String)) COMMENT 'Category by the newest comparator file that gives one, else by the newest sheet of the association that does; null where none ever did';

-- Rejected rows are kept only for some time. For the existing rows, the revision is used as
-- their time of arrival.
ALTER TABLE rejected_row ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS arrived_at DateTime('UTC') DEFAULT toDateTime(revision, 'UTC') COMMENT 'When the row came last: of the rows of complete files the newest 100,000 are kept (outdated_reject)',
    MODIFY COMMENT 'Rows that did not pass at ingest, the newest 100,000; nothing is dropped silently: manifest counts all of them';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00021_rules.sql

-- +goose Up

-- A program whose statements compute something else than those that built the published
-- batch must build every day again. For batches older than this column the statements are
-- unknown. Their text is empty, which differs from every hash.

ALTER TABLE batch ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS rules LowCardinality(String) DEFAULT ''
        COMMENT 'sha256 over the statements that computed the batch, hex; empty where not noted';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00022_several_projectors.sql

-- +goose Up

-- Several projectors may run on one database, and one of them builds. If two take the same
-- number, their claims show it. Commands wait in a table, so that the projector that builds
-- next finds them.

ALTER TABLE batch_attempt ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS claim String DEFAULT '' COMMENT 'Who took the number: random, so that two that took the same one see it; empty in old rows';

ALTER TABLE command_done ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS failure String DEFAULT '' COMMENT 'Why the batch was refused by its checks; empty: it was published';

ALTER TABLE command_done ON CLUSTER 'replicas'
    COMMENT COLUMN batch 'Batch that it led to, published or refused',
    COMMENT COLUMN done_at 'When that batch was published or refused';

ALTER TABLE batch_failure ON CLUSTER 'replicas'
    MODIFY COMMENT 'Batches that were begun and not published, and why. Readers pass over the builds of days and the lists of files that they left';

CREATE TABLE IF NOT EXISTS project_command ON CLUSTER 'replicas'
(
    id        String               COMMENT 'Id of the command, as it stood in the control topic',
    rebuild   Bool                 COMMENT 'Build every day anew',
    asked_at  DateTime64(3, 'UTC') COMMENT 'When the projector received it'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY id
COMMENT 'Commands to build that arrived. One that was received twice has two rows; those that are carried out stand in command_done';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00023_waiting.sql

-- +goose Up

-- For a command that waits for a batch: how far the batch is, and whether it was refused.

CREATE TABLE IF NOT EXISTS batch_progress ON CLUSTER 'replicas'
(
    batch        UInt64               COMMENT 'Number of the batch that is being built',
    noted_at     DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC') COMMENT 'When it was noted, at most once a second',
    done         UInt16               COMMENT 'Projections that were done by then',
    projections  UInt16               COMMENT 'Projections that the batch consists of'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY (batch, noted_at)
TTL toDateTime(noted_at) + INTERVAL 7 DAY
COMMENT 'How far the projector is with a batch; kept for a week';

ALTER TABLE batch_failure ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS refused Bool DEFAULT false
        COMMENT 'The batch was built and did not pass its checks: it is built again only once something new arrives. False for a batch that could not be built, and for failures noted before this column';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00024_damage.sql

-- +goose Up

-- Each published batch notes how many rows it has, so that a later loss of rows is found.

CREATE TABLE IF NOT EXISTS batch_table ON CLUSTER 'replicas'
(
    batch   UInt64                 COMMENT 'Batch that wrote the rows; for a file, the first batch that read it',
    table   LowCardinality(String) COMMENT 'Table that holds the rows',
    piece   String                 COMMENT 'What the rows are of: a day (YYYY-MM-DD) in a table of days, a file (sha256) in a table of facts; empty: of the batch as a whole',
    rows    UInt64                 COMMENT 'Rows that the table held of the piece when the batch was published; a fact that arrived twice counts once'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY (table, piece, batch)
COMMENT 'How many rows each table held when a batch was published: an inspection compares it with what is there';

CREATE TABLE IF NOT EXISTS batch_damage ON CLUSTER 'replicas'
(
    batch     UInt64                 COMMENT 'Published batch that is not answered from any more',
    found_at  DateTime64(3, 'UTC')   COMMENT 'When the damage was found',
    table     LowCardinality(String) COMMENT 'Table that rows are missing from, or that has a part which can not be read',
    reason    String                 COMMENT 'What is missing'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY (batch, found_at)
COMMENT 'Damage that was found in stored tables. The batch that is built after the repair has no row here';

CREATE TABLE IF NOT EXISTS registry_copy ON CLUSTER 'replicas'
(
    kind   LowCardinality(String) COMMENT 'As in registry',
    id     UInt32                 COMMENT 'As in registry',
    key    String                 COMMENT 'As in registry',
    run    UInt32                 COMMENT 'As in registry',
    serie  String                 COMMENT 'As in registry',
    batch  UInt64                 COMMENT 'As in registry'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY (kind, id)
COMMENT 'A second copy of registry, in files of its own: ids that were given out must not be given out anew if one copy is lost';

ALTER TABLE batch ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS noted Bool DEFAULT false
        COMMENT 'True if the batch noted the rows of its tables (batch_table); false for batches of versions that did not';

ALTER TABLE project_command ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS inspect Bool DEFAULT false
        COMMENT 'Inspect the stored tables, and build only what is found damaged';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00025_names.sql

-- +goose Up

-- The comments of tables name the views of today. The program renames the tables themselves
-- before it runs the migrations (docs/decisions/0032-migrations-can-be-run-again.md).

ALTER TABLE batch_new_file ON CLUSTER 'replicas' MODIFY COMMENT 'Which files a batch is made of: those of its own number and of all before. Holds several batches: read batch_file';
ALTER TABLE market_completeness ON CLUSTER 'replicas' MODIFY COMMENT 'How complete the market is on each day. Holds several batches: read current_market_completeness';
ALTER TABLE fact_article107 ON CLUSTER 'replicas' MODIFY COMMENT 'What fund regulations declare about article 107 of the income tax law, every revision. Freshness depends on the day and is computed by the reader. Holds every revision: read batch_article107';
ALTER TABLE fact_benchmark ON CLUSTER 'replicas' MODIFY COMMENT 'Catalogue of benchmarks: a family''s index, every revision. Holds every revision: read batch_benchmark';
ALTER TABLE fact_benchmark_price ON CLUSTER 'replicas' MODIFY COMMENT 'Closing prices of benchmarks, every revision. Holds every revision: read batch_benchmark_price';
ALTER TABLE fact_discontinuity ON CLUSTER 'replicas' MODIFY COMMENT 'Known breaks of series: known_discontinuity (RULES 1); every revision. Holds every revision: read batch_curated_discontinuity';
ALTER TABLE fact_exchange ON CLUSTER 'replicas' MODIFY COMMENT 'Exchanges (canjes) of one series'' quotas for another''s, every revision; followed forward only (RULES 1). Holds every revision: read batch_exchange';
ALTER TABLE fact_factor ON CLUSTER 'replicas' MODIFY COMMENT 'Verified factors, one row a calendar day, from which total returns are computed; every revision. Holds every revision: read factor_history_as_of';
ALTER TABLE fact_fund ON CLUSTER 'replicas' MODIFY COMMENT 'Register of mutual funds, every revision. Holds every revision: read batch_fund';
ALTER TABLE fact_holding ON CLUSTER 'replicas' MODIFY COMMENT 'Portfolios at the close of a month. One file holds all positions of a (run, month, market), so the newest file replaces the others as a whole and positions of two files are never joined. Holds every revision: read batch_holding';
ALTER TABLE fact_indicator ON CLUSTER 'replicas' MODIFY COMMENT 'UF and dólar observado, every revision. Holds every revision: read batch_indicator';
ALTER TABLE fact_investment_fund ON CLUSTER 'replicas' MODIFY COMMENT 'Register of investment funds, every revision. Holds every revision: read batch_investment_fund';
ALTER TABLE fact_investment_value ON CLUSTER 'replicas' MODIFY COMMENT 'Daily book values of investment funds by series, every revision. Holds every revision: read batch_investment_value';
ALTER TABLE fact_monthly_tac ON CLUSTER 'replicas' MODIFY COMMENT 'The regulator''s monthly cost sheet: real TAC by series and month, every revision. It has names and no RUN. Holds every revision: read batch_stated_tac';
ALTER TABLE fact_official_return ON CLUSTER 'replicas' MODIFY COMMENT 'The regulator''s return comparator: families, investor class, spheres, official returns. Holds every revision: read series_official_return_as_of';
ALTER TABLE fact_quota ON CLUSTER 'replicas' MODIFY COMMENT 'Cartola rows: one series on one day, every revision. Holds every revision: read batch_quota';
ALTER TABLE fact_rename ON CLUSTER 'replicas' MODIFY COMMENT 'Series that go on under another name, one identity under both (RULES 1); every revision. Holds every revision: read batch_rename';
ALTER TABLE fact_aafm_daily ON CLUSTER 'replicas' MODIFY COMMENT 'Daily sheet of the mutual-fund association, every revision. Holds every revision: read batch_aafm_daily';
ALTER TABLE fact_tac ON CLUSTER 'replicas' MODIFY COMMENT 'Cost rates by series and month, every revision. Holds every revision: read batch_stated_tac';
ALTER TABLE fact_vehicle ON CLUSTER 'replicas' MODIFY COMMENT 'Which funds are exchange-traded, curated; every revision. Holds every revision: read batch_vehicle';
ALTER TABLE quota_manager ON CLUSTER 'replicas' MODIFY COMMENT 'Who manages each fund by the new cartolas of each batch. Holds several batches: read batch_manager';
ALTER TABLE fx_uf_rate ON CLUSTER 'replicas' MODIFY COMMENT 'What quotes of each calendar day are converted with (RULES 1). Holds several batches: read current_fx_uf_rate';
ALTER TABLE discontinuity ON CLUSTER 'replicas' MODIFY COMMENT 'Days across which a price return would be meaningless (RULES 1). Holds several batches: read current_discontinuity';
ALTER TABLE series_label ON CLUSTER 'replicas' MODIFY COMMENT 'The names of renamed series. Series that never changed their name have no row: see batch_series_name. Holds several batches: read current_series_label';
ALTER TABLE continued_history ON CLUSTER 'replicas' COMMENT COLUMN breaks 'Breaks inside that history as in discontinuity, but adjustments; those between two parts belong to the later one';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00026_natural_keys.sql

-- +goose Up

-- natural_key tells apart the facts of a file, and takes no space. A statement counts the
-- facts of every table that has this column, so that a new table is in no list. fact_quota
-- and fact_investment_value, which have void days, do not have the column: statements count
-- them in parts of their own.

ALTER TABLE fact_fund ON CLUSTER 'replicas' ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run) COMMENT 'Hash of the natural key: run. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_tac ON CLUSTER 'replicas' ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run, serie, date, kind) COMMENT 'Hash of the natural key: run, serie, date, kind. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_official_return ON CLUSTER 'replicas' ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run, serie, date) COMMENT 'Hash of the natural key: run, serie, date. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_aafm_daily ON CLUSTER 'replicas' ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run, serie, date) COMMENT 'Hash of the natural key: run, serie, date. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_indicator ON CLUSTER 'replicas' ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(code, date) COMMENT 'Hash of the natural key: code, date. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_investment_fund ON CLUSTER 'replicas' ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run) COMMENT 'Hash of the natural key: run. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_monthly_tac ON CLUSTER 'replicas' ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(manager_words, fund_words, serie, date) COMMENT 'Hash of the natural key: manager_words, fund_words, serie, date. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_holding ON CLUSTER 'replicas' ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run, month, market, position) COMMENT 'Hash of the natural key: run, month, market, position. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_benchmark ON CLUSTER 'replicas' ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(family_rar, symbol) COMMENT 'Hash of the natural key: family_rar, symbol. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_benchmark_price ON CLUSTER 'replicas' ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(symbol, date) COMMENT 'Hash of the natural key: symbol, date. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_article107 ON CLUSTER 'replicas' ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run) COMMENT 'Hash of the natural key: run. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_factor ON CLUSTER 'replicas' ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run, serie, date, source_line) COMMENT 'Hash of the natural key: run, serie, date, source_line. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_exchange ON CLUSTER 'replicas' ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(event_id, event_revision) COMMENT 'Hash of the natural key: event_id, event_revision. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_rename ON CLUSTER 'replicas' ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run, previous_serie) COMMENT 'Hash of the natural key: run, previous_serie. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_discontinuity ON CLUSTER 'replicas' ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run, serie, date) COMMENT 'Hash of the natural key: run, serie, date. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_risk_free ON CLUSTER 'replicas' ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(name, date) COMMENT 'Hash of the natural key: name, date. Two rows of a file with the same hash are one fact';
ALTER TABLE fact_vehicle ON CLUSTER 'replicas' ADD COLUMN IF NOT EXISTS natural_key FixedString(16) ALIAS sipHash128(run) COMMENT 'Hash of the natural key: run. Two rows of a file with the same hash are one fact';

-- +goose Down
SELECT throwIf(true, 'facts are the durable history: no way down');

-- schema/00027_categories.sql

-- +goose Up

-- The categories are in a view now (sql/views/12_category_name.sql). A view is made anew at each
-- start, so that its rows can't be lost.
DROP TABLE IF EXISTS reference_category ON CLUSTER 'replicas' SYNC;

-- +goose Down
SELECT throwIf(true, 'categories are in a view: no way down');

-- schema/00028_returns_by_day.sql

-- +goose Up

-- The windows of every series on every day, so that a past date is read and not computed.
-- Both tables are built by complete days, like series_day.

CREATE TABLE IF NOT EXISTS return_day_version ON CLUSTER 'replicas'
(
    date   Date   COMMENT 'Day whose rows were built',
    build  UInt64 COMMENT 'Batch that built them'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY (date, build)
COMMENT 'Which batch built which day of standing_quote and return_day, superseded ones too. Holds superseded days: read current_standing_quote or current_return_day';

CREATE TABLE IF NOT EXISTS standing_quote ON CLUSTER 'replicas'
(
    date             Date                     COMMENT 'Day with a quote of any series',
    series_id        UInt32                   COMMENT 'Series id (registry)',
    build            UInt64                   COMMENT 'Batch that built this day',
    quote_date       Date                     COMMENT 'Day of the newest quote of the series on or before date, however old',
    quota            Nullable(Decimal(18, 6)) COMMENT 'Valor cuota of that day in currency; null when the row was rejected, which is an invalid quote (RULES 1)',
    currency         LowCardinality(String)   COMMENT 'Accounting currency of the quote: PESOS, DOLAR, or as written where unknown; empty when the row was rejected',
    stated_currency  LowCardinality(String)   COMMENT 'Currency of the newest quote on or before date that states one'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYear(date)
ORDER BY (date, series_id, build)
COMMENT 'The newest quote of each series on each day, from which its windows begin and end. Holds superseded days: read current_standing_quote';

CREATE TABLE IF NOT EXISTS return_day ON CLUSTER 'replicas'
(
    date                      Date                             COMMENT 'End of the windows: a day with a quote of any series',
    series_id                 UInt32                           COMMENT 'Series id (registry)',
    build                     UInt64                           COMMENT 'Batch that built this day',
    effective_end             Date                             COMMENT 'Newest quote on or before date, with which all windows end but the last closed month',
    currency                  LowCardinality(String)           COMMENT 'Currency of that quote and of the returns: PESOS, DOLAR, or empty where unknown',
    stated_currency           LowCardinality(String)           COMMENT 'Currency of the newest quote on or before date that states one: PESOS, DOLAR, or as written where unknown',
    month_effective_end       Nullable(Date)                   COMMENT 'Newest quote on or before the last month end, with which the last closed month ends',
    month_currency            LowCardinality(String)           COMMENT 'Currency of that quote and of return_last_closed_month: PESOS, DOLAR, or empty where unknown',
    return_1m                 Nullable(Float64)                COMMENT 'Price return of one month in accounting currency, fraction (RULES 1)',
    return_3m                 Nullable(Float64)                COMMENT 'The same of three months, fraction',
    return_6m                 Nullable(Float64)                COMMENT 'The same of six months, fraction',
    return_1y                 Nullable(Float64)                COMMENT 'The same of a year, fraction',
    return_ytd                Nullable(Float64)                COMMENT 'The same since the end of the year before, fraction',
    return_3y_ann             Nullable(Float64)                COMMENT 'The same of three years, fraction per year',
    return_5y_ann             Nullable(Float64)                COMMENT 'The same of five years, fraction per year',
    return_last_closed_month  Nullable(Float64)                COMMENT 'The same of the last complete month, fraction',
    reason_1m                 LowCardinality(Nullable(String)) COMMENT 'Why return_1m is null, the first that applies (RULES 1)',
    reason_3m                 LowCardinality(Nullable(String)) COMMENT 'Why return_3m is null',
    reason_6m                 LowCardinality(Nullable(String)) COMMENT 'Why return_6m is null',
    reason_1y                 LowCardinality(Nullable(String)) COMMENT 'Why return_1y is null',
    reason_ytd                LowCardinality(Nullable(String)) COMMENT 'Why return_ytd is null',
    reason_3y_ann             LowCardinality(Nullable(String)) COMMENT 'Why return_3y_ann is null',
    reason_5y_ann             LowCardinality(Nullable(String)) COMMENT 'Why return_5y_ann is null',
    reason_last_closed_month  LowCardinality(Nullable(String)) COMMENT 'Why return_last_closed_month is null',
    start_1m                  Nullable(Date)                   COMMENT 'Quote with which return_1m begins: the newest on or before its target date',
    start_3m                  Nullable(Date)                   COMMENT 'The same of return_3m',
    start_6m                  Nullable(Date)                   COMMENT 'The same of return_6m',
    start_1y                  Nullable(Date)                   COMMENT 'The same of return_1y',
    start_ytd                 Nullable(Date)                   COMMENT 'The same of return_ytd',
    start_3y_ann              Nullable(Date)                   COMMENT 'The same of return_3y_ann',
    start_5y_ann              Nullable(Date)                   COMMENT 'The same of return_5y_ann',
    start_last_closed_month   Nullable(Date)                   COMMENT 'The same of return_last_closed_month'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYear(date)
ORDER BY (date, series_id, build)
SETTINGS index_granularity = 1024
COMMENT 'Price returns of every series on every day, from its first quote until 38 days after its newest: later no window has a value. Holds superseded days: read current_return_day';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00029_publications.sql

-- +goose Up

-- A batch that is retired has no row in batch any more. The moment of its publication is kept,
-- because it says when the files of the batch were seen first.

CREATE TABLE IF NOT EXISTS publication ON CLUSTER 'replicas'
(
    batch         UInt64               COMMENT 'Number of the batch',
    batch_id      String               COMMENT 'Public name of the batch: cutoff, number, start of the fingerprint',
    published_at  DateTime64(3, 'UTC') COMMENT 'When it was published, by the clock of the projector: calculated_at of batch',
    as_of_date    Nullable(Date)       COMMENT 'Cutoff: the latest complete date; null while no date is complete'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', published_at)
ORDER BY batch
COMMENT 'Every batch that was published, retired ones too, since the first version with this table: read published_batch';

-- +goose Down
SELECT throwIf(true, 'moments of publication are known nowhere else: no way down');

-- schema/00030_past_by_day.sql

-- +goose Up

-- The market summary of every day, so that a past date is read and not computed. It covers the
-- series that are alive at the cutoff, so its rows belong to a batch: a batch computes those on
-- which something changed, and copies the others from the batch before it.

CREATE TABLE IF NOT EXISTS summary_day_version ON CLUSTER 'replicas'
(
    batch       UInt64                  COMMENT 'Number of the batch',
    date        Date                    COMMENT 'Day of which the batch computes something',
    whole       Bool                    COMMENT 'True: everything of the day, and family_rar is empty',
    family_rar  LowCardinality(String)  COMMENT 'Otherwise the family that is computed; empty: the series without a family'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, date, whole, family_rar)
COMMENT 'Which families of which days of summary_family a batch computed anew, and which days of summary_mover: all in this list. The others are those of the batch before. Holds several batches: read current_summary_family or current_summary_mover';

CREATE TABLE IF NOT EXISTS summary_family ON CLUSTER 'replicas'
(
    batch               UInt64                           COMMENT 'Number of the batch',
    date                Date                             COMMENT 'Day',
    family_rar          LowCardinality(String)           COMMENT 'familia_rar; empty for the series without a family',
    currency            LowCardinality(String)           COMMENT 'Accounting currency: PESOS, DOLAR, or as written where unknown',
    shown               Bool                             COMMENT 'Has a family, and is in PESOS or DOLAR: market-summary shows these rows and counts the others',
    family_display      LowCardinality(Nullable(String)) COMMENT 'familia_visualizador',
    previous_date       Nullable(Date)                   COMMENT 'Day since which daily_return counts, as it was known on the day: opening_date of index_day',
    daily_return        Nullable(Float64)                COMMENT 'Mean daily change of the series that count, weighted by opening equity, fraction; null without any (RULES 7)',
    monthly_return      Nullable(Float64)                COMMENT 'Mean monthly change weighted by equity at its start, fraction; null without any',
    equity              Decimal(38, 4)                   COMMENT 'Equity of the rows that stand for its series that day, full units of currency',
    equity_clp          Nullable(Decimal(38, 10))        COMMENT 'The same in CLP at the dólar observado of the day; null if that is not known',
    series              UInt32                           COMMENT 'Series for which a row with a quote stands that day',
    funds               UInt32                           COMMENT 'Their funds',
    family_funds        UInt32                           COMMENT 'Funds of the family in all currencies that are shown; 0 where shown is false',
    unconverted_series  UInt32                           COMMENT 'Of series, those whose equity cannot be converted to CLP',
    newest_previous     Nullable(Date)                   COMMENT 'Newest day before that is the previous quote of a series quoted on the day',
    classified_later    Bool                             COMMENT 'The family of one of its series is known only from a later report'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, date, family_rar, currency)
COMMENT 'Each family in each currency on each day, among the series alive at the cutoff of the batch (RULES 7). family_day has those of all series that existed. Holds several batches: read current_summary_family';

CREATE TABLE IF NOT EXISTS summary_mover ON CLUSTER 'replicas'
(
    batch           UInt64                           COMMENT 'Number of the batch',
    date            Date                             COMMENT 'Day',
    list            LowCardinality(String)           COMMENT 'gainers_daily, losers_daily, gainers_monthly or losers_monthly',
    place           UInt8                            COMMENT 'Place among the series alive at the cutoff of the batch: 1 for the greatest change of the list, up to 10; 0 if it is not among the ten',
    place_then      UInt8                            COMMENT 'The same among all series that existed on the day',
    series_id       UInt32                           COMMENT 'Series id (registry)',
    fund_id         UInt32                           COMMENT 'Fund id (registry)',
    category        LowCardinality(Nullable(String)) COMMENT 'Category as of the day (RULES 6)',
    family_rar      LowCardinality(Nullable(String)) COMMENT 'familia_rar as of the day',
    currency        LowCardinality(String)           COMMENT 'PESOS or DOLAR',
    price           Nullable(Decimal(18, 6))         COMMENT 'Valor cuota, series currency',
    daily_change    Nullable(Float64)                COMMENT 'Change since the previous quote, percent points; null if not known or an outlier',
    monthly_change  Nullable(Float64)                COMMENT 'Change since one month earlier, percent points; null if not known or an outlier',
    equity          Nullable(Decimal(18, 4))         COMMENT 'Patrimonio neto, full units of the series currency',
    equity_clp      Decimal(38, 10)                  COMMENT 'The same in CLP at the dólar observado of the day: at least 100 million'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, date, list, series_id)
COMMENT 'The ten greatest rises and falls of each day, one series for each fund (RULES 7): of the series alive at the cutoff of the batch, and of all that existed on the day. Holds several batches: read current_summary_mover';

CREATE TABLE IF NOT EXISTS flow_day ON CLUSTER 'replicas'
(
    date            Date    COMMENT 'Day with a quote of any series',
    build           UInt64  COMMENT 'Batch that built this day',
    series          UInt32  COMMENT 'Series quoted on the day, also those that have closed since',
    daily_known     UInt32  COMMENT 'Of these, those whose net contribution of the day is known',
    monthly_known   UInt32  COMMENT 'Of these, those whose net contributions are known for every quote since one month earlier'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYear(date)
ORDER BY (date, build)
COMMENT 'For how many series the net contributions of each day are known. Holds superseded days: read current_flow_day';

-- What a backtest needs of the whole history, so that the first one does not search all quotes for it.

CREATE TABLE IF NOT EXISTS later_row ON CLUSTER 'replicas'
(
    date          Date    COMMENT 'Day of the row',
    series_id     UInt32  COMMENT 'Series id (registry)',
    build         UInt64  COMMENT 'Batch that built this day',
    loaded_later  Bool    COMMENT 'The first statement was published more than 62 days after the day, so nobody knows when it was seen first',
    statements    Array(Tuple(known_on Date, said UInt64, sound Bool, quota Nullable(Decimal(18, 6)), currency String, equity Nullable(Decimal(18, 4))))
                  COMMENT 'What was stated of the row, a correction after what it corrects: the day on which it was known, a hash of all that it states, whether its quota is above 0, the quota and equity in currency (full units)'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYear(date)
ORDER BY (date, series_id, build)
COMMENT 'The cartola rows that a later file corrected, or added to a day that another file had stated. Holds superseded days: read current_later_row';

CREATE TABLE IF NOT EXISTS series_step ON CLUSTER 'replicas'
(
    batch      UInt64   COMMENT 'Number of the batch',
    series_id  UInt32   COMMENT 'Series id (registry)',
    date       Date     COMMENT 'Day of a quote',
    broken     Bool     COMMENT 'The series breaks before this quote: nothing before it compares with it',
    factor     Float64  COMMENT 'Otherwise what one quota of the quote before has become: adjustment times distribution factor'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id, date)
COMMENT 'What happens to the series of mutual funds between quotes, for whoever holds them (docs/backtests.md, section 4). Holds several batches: read current_series_step';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00031_tac_source.sql

-- +goose Up

-- A stated cost rate has the file and the line that state it, so that a page finds them by the key of the rate.
-- In batches that were built before they are empty; the next batch has them.

ALTER TABLE tac_month ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS dataset LowCardinality(String)
        COMMENT 'Of a stated rate, the dataset of the file that states it: tac-comparator or tac-monthly; empty when computed',
    ADD COLUMN IF NOT EXISTS source_sha256 LowCardinality(String)
        COMMENT 'Hash of that raw file, hex; empty when computed',
    ADD COLUMN IF NOT EXISTS source_line UInt32
        COMMENT 'Line in that raw file, from 1; 0 when computed',
    ADD COLUMN IF NOT EXISTS revision Nullable(DateTime64(3, 'UTC'))
        COMMENT 'When that file was published, else first seen; null when computed';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00032_candidates.sql

-- +goose Up

-- The series of each day in one row, so that a backtest reads those of many days at once. Reading their rows of
-- market_day takes about five times as long (decisions/0057). It is built by days of the market, like market_day.

CREATE TABLE IF NOT EXISTS candidate_day ON CLUSTER 'replicas'
(
    date              Date                                         COMMENT 'Day with a row of any series',
    build             UInt64                                       COMMENT 'Batch that built this day',
    series_ids        Array(UInt32)                                COMMENT 'Series with a row that stands on the day, alive or closed, by ascending id (registry)',
    void_ids          Array(UInt32)                                COMMENT 'Those of them whose row is void: it was rejected, so it has no quote',
    dollar_ids        Array(UInt32)                                COMMENT 'Those of them in DOLAR',
    unknown_ids       Array(UInt32)                                COMMENT 'Those of them whose currency is neither PESOS nor DOLAR',
    earlier           Array(Tuple(series_id UInt32, date Date))    COMMENT 'Those of them whose row is of an earlier day, with that day, at most 7 days before'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY (date, build)
SETTINGS index_granularity = 8
COMMENT 'The series with a row that stands on each day, void or not, as lists, from which backtests take their candidates (docs/backtests.md, section 3). Holds superseded days: read current_candidate_day';

ALTER TABLE market_day_version ON CLUSTER 'replicas' MODIFY COMMENT 'Which batch built which day of market_day, candidate_day, family_day and manager_day, superseded ones too. Holds superseded days: read current_market_day, current_candidate_day, current_family_day or current_manager_day, which take the newest build of each day';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00033_invested_in_funds.sql

-- +goose Up

-- INVERSION_EN_FONDOS is an amount: what a fund has in other funds. Versions before took its 0 and 1 for a flag and
-- rejected all other rows. Their facts keep the flags, from which the new columns follow. Words that no number depends
-- on are kept as they are written.

ALTER TABLE fact_quota ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS participes_inst LowCardinality(String) DEFAULT if(void, '', if(institutional_fund, 'S', 'N'))
        COMMENT 'PARTICIPES_INST as written: S, the fund has institutional shareholders that day, or N; another word where the source has a new one'
        AFTER institutional,
    ADD COLUMN IF NOT EXISTS fondo_pen LowCardinality(String) DEFAULT if(void, '', if(pension_fund, 'S', 'N'))
        COMMENT 'FONDO_PEN as written: S or N; another word where the source has a new one'
        AFTER participes_inst,
    ADD COLUMN IF NOT EXISTS invested_in_funds Nullable(Decimal(18, 4)) DEFAULT if(void, NULL, toDecimal64(invests_in_funds, 4))
        COMMENT 'INVERSION_EN_FONDOS: what the whole fund has in other funds, repeated on each series, full units of its currency; null where the file has no number'
        AFTER fondo_pen,
    COMMENT COLUMN moneda 'Currency as written: $$ pesos, PROM dollars; any other is unknown (RULES 6)',
    COMMENT COLUMN institutional_fund 'What versions before participes_inst stored; not written any more',
    COMMENT COLUMN pension_fund 'What versions before fondo_pen stored; not written any more',
    COMMENT COLUMN invests_in_funds 'What versions before invested_in_funds stored, as a flag: 0 or 1 of INVERSION_EN_FONDOS; not written any more';

ALTER TABLE series_day ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS invested_in_funds Nullable(Decimal(18, 4))
        COMMENT 'What the whole fund has in other funds, repeated on each series, full units of currency; null where the file has no number'
        AFTER costs;

-- +goose Down
SELECT throwIf(true, 'facts are the durable history: no way down');

-- schema/00034_words_as_written.sql

-- +goose Up

-- Words that no number depends on are kept as they are written (decisions/0058). Facts of earlier versions keep
-- their flags, from which the new columns follow.

ALTER TABLE fact_tac ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS serie_digital LowCardinality(String) DEFAULT if(digital, '1', '0')
        COMMENT 'serie_digital as written: 1, a digital series, or 0; another word where the source has a new one'
        AFTER manager,
    COMMENT COLUMN moneda 'Currency as written: $$ pesos, PROM dollars; any other is unknown (RULES 6)',
    COMMENT COLUMN digital 'What versions before serie_digital stored; not written any more';

ALTER TABLE fact_official_return ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS serie_digital LowCardinality(String) DEFAULT if(digital, '1', '0')
        COMMENT 'serie_digital as written: 1, a digital series, or 0; another word where the source has a new one'
        AFTER manager,
    COMMENT COLUMN digital 'What versions before serie_digital stored; not written any more';

ALTER TABLE fact_aafm_daily ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS serie_apv LowCardinality(String) DEFAULT if(apv, 'Si', 'No')
        COMMENT 'serie_apv as written: Si, a series for voluntary pension saving, or No; another word where the source has a new one'
        AFTER category,
    COMMENT COLUMN currency 'PESOS or DOLAR as written, or another word; empty when the fund did not report',
    COMMENT COLUMN apv 'What versions before serie_apv stored; not written any more';

ALTER TABLE fact_investment_fund ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS state LowCardinality(String) DEFAULT if(closed, 'no vigente', 'vigente')
        COMMENT 'estado as written: vigente, no vigente, or another word; empty where the register has no such column',
    COMMENT COLUMN kind 'FIRES: redeemable; FINRE: not redeemable; another word where the register has a new one',
    COMMENT COLUMN closed 'True: the register calls the fund no vigente; false: it calls it anything else or does not tell';

ALTER TABLE fact_fund ON CLUSTER 'replicas'
    COMMENT COLUMN kind 'Tipo de fondo mutuo as written, so far 1 to 8; 0 where it is no number',
    COMMENT COLUMN moneda 'Currency as written: $$ pesos, PROM dollars; any other is unknown (RULES 6)';

ALTER TABLE fact_investment_value ON CLUSTER 'replicas'
    COMMENT COLUMN moneda 'Currency as written: $$, CLP or PESOS; PROM, USD or DOLAR; any other is unknown (RULES 6)';

-- +goose Down
SELECT throwIf(true, 'facts are the durable history: no way down');

-- schema/00035_ends.sql

-- +goose Up

-- Ends of series that a person states, so that the market does not wait for them (docs/decisions/0003-cutoff-after-a-gap.md).

CREATE TABLE IF NOT EXISTS fact_end ON CLUSTER 'replicas'
(
    run              UInt32                 COMMENT 'Fund RUN without check digit; 0: every fund',
    serie            LowCardinality(String) COMMENT 'Series name; empty: every series of the fund',
    ended_on         Date                   COMMENT 'First day without a row; it holds for series that have no row on that day or later',
    revision         DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen',
    source_sha256    LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    source_line      UInt32                 COMMENT 'Line in the raw file, from 1',
    note             String                 COMMENT 'What happened',
    evidence_url     String                 COMMENT 'Address of the document that proves the event',
    evidence_sha256  String                 COMMENT 'Hash of that document, hex',
    natural_key      FixedString(16) ALIAS sipHash128(run, serie, ended_on) COMMENT 'Hash of the natural key: a file is complete when as many keys of it have arrived as its manifest counts'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, serie, ended_on, revision, source_sha256)
COMMENT 'Ends of series, of funds and of the market, as persons state them; every revision. Holds every revision: read batch_series_end';

ALTER TABLE market_completeness ON CLUSTER 'replicas'
    COMMENT COLUMN prior_series 'Series counted: those with a row that day, and those with one since the last complete day, or in the seven days before if that is earlier, that have stated no end; rejected rows count. Series silent for more than 95 days are left out if they are fewer than the others',
    COMMENT COLUMN present_series 'Of these, with a row that day, void ones included',
    COMMENT COLUMN void_series 'Of the present series, those whose row of the day was rejected: it is void',
    COMMENT COLUMN has_data 'At least half of the series counted, and one series at all, have a quote that day: views of the market answer for it',
    COMMENT COLUMN prior_equity_clp 'Equity of the series counted at their last quote before the day, CLP; dollars at the dólar observado of that quote''s day or of at most 7 days before; others left out',
    COMMENT COLUMN complete 'The day has data, at least 98 % of the series counted have a quote, where one void row counts as a quote, and those with a row hold at least 99 % of the equity (RULES 1)';

ALTER TABLE series ON CLUSTER 'replicas'
    COMMENT COLUMN current 'Quoted at least once, with a row within 7 days of the cutoff, and neither its fund ended nor its quotas exchanged nor its end stated by then';

-- +goose Down
SELECT throwIf(true, 'a table of facts is not dropped by a migration');

-- schema/00037_unit_changes.sql

-- +goose Up

-- A change of unit that only the rows themselves show is a discontinuity, with the figures that show it.

ALTER TABLE discontinuity ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS evidence String
        COMMENT 'What shows it: of unit_change the figures of the two rows, of curated the address of the document; empty for other kinds';

ALTER TABLE discontinuity ON CLUSTER 'replicas' COMMENT COLUMN kind
    'currency_change; or a known discontinuity: gap (over 31 days), restart (equity 0, then more), adjustment (factor de ajuste not 1), unit_change (the rows show that the quota has another unit, without a factor: RULES 8), curated (an event says so; date is the first day after the break)';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00038_business_days.sql

-- +goose Up

-- The flow of a calendar day has one half only where redemptions are stated on the last day before the next business
-- day. So people see the flow of a business day (RULES 8). In days that were built before, it is null.

ALTER TABLE market_day ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS business_flow Nullable(Float64)
        COMMENT 'Net contribution of the business day that begins on this day, full units of the series currency; null: none begins, or it is not complete',
    ADD COLUMN IF NOT EXISTS business_until Nullable(Date)
        COMMENT 'Last calendar day of that business day; null where business_flow is',
    ADD COLUMN IF NOT EXISTS flow_reason LowCardinality(String)
        COMMENT 'Why business_flow is null: incomplete_business_day, or not_a_business_day where it is part of the one before; empty where it is known';

ALTER TABLE market_day ON CLUSTER 'replicas' COMMENT COLUMN flow
    'Net contribution that the row of the day states, quotas contributed less redeemed at the quota of the day, full units of the series currency: on the eve of days without business it is one half (business_flow)';

ALTER TABLE flow_day ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS opening Array(LowCardinality(String))
        COMMENT 'Currencies of which a business day begins on the day: most series with a flow have contributions',
    ADD COLUMN IF NOT EXISTS closing Array(LowCardinality(String))
        COMMENT 'Currencies of which a business day may end on the day: most series with a flow have redemptions';

ALTER TABLE flow_day ON CLUSTER 'replicas' COMMENT COLUMN daily_known
    'Of these, those whose net contribution of the newest business day is known from rows up to the day';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00040_restated_rows.sql

-- +goose Up

-- A row may stand for its series on up to seven later days. If a classification comes into force meanwhile, the
-- series is in another family on those days (RULES 7). In days that were built before, the list is empty; a program
-- with these rules builds every day anew.

ALTER TABLE market_day ON CLUSTER 'replicas'
    ADD COLUMN IF NOT EXISTS restated Array(Tuple(since Date, family_rar String, family_display String, category String, classified_later Bool))
        COMMENT 'Classifications that come into force while the row stands on later days, by the first of these days: family_rar, family_display and category, empty where they are not known, and classified_later from that day on. Nearly always empty'
        AFTER classified_later;

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- schema/00042_file_judgements.sql

-- +goose Up

-- What ingest found when it compared the shapes of each file with those of the files before it, and what
-- became of the file. A newer judgement of a file replaces the older one as a whole.

CREATE TABLE IF NOT EXISTS file_judgement ON CLUSTER 'replicas'
(
    dataset           LowCardinality(String)        COMMENT 'Dataset of the file',
    sha256            String                        COMMENT 'Hash of the raw file, hex',
    revision          DateTime64(3, 'UTC')          COMMENT 'When the source was published, else first seen',
    file              String                        COMMENT 'Base name of the file',
    state             LowCardinality(String)        COMMENT 'taken; quarantined: not published until a person accepts it; accepted; declined: a person refused it',
    judged_at         DateTime64(3, 'UTC')          COMMENT 'When the state began, by the clock of ingest',
    compared_with     String                        COMMENT 'Hash of the newest file before it that it was compared with; empty: none',
    finding_kind      Array(LowCardinality(String)) COMMENT 'Of each finding: in what the file differs, as new_word or fewer_decimals',
    finding_column    Array(String)                 COMMENT 'Of each finding: the column; empty: the file as a whole',
    finding_before    Array(String)                 COMMENT 'Of each finding: what the files before it have, or what its name says',
    finding_now       Array(String)                 COMMENT 'Of each finding: what the file has',
    finding_line      Array(UInt32)                 COMMENT 'Of each finding: the first line that shows it; 0: no single one',
    finding_at_stake  Array(Bool)                   COMMENT 'Of each finding: wrong figures might be computed from the column'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', judged_at)
ORDER BY (dataset, sha256)
COMMENT 'How the shapes of each file compare with those of the files before it, and what became of it: read file_finding';

-- +goose Down
SELECT throwIf(true, 'judgements of files are the record of what persons decided: no way down');

-- schema/00043_freshness_objectives.sql

-- +goose Up

-- By when the next data of each dataset should be here. The projector writes its settings when it starts.

CREATE TABLE IF NOT EXISTS freshness_objective ON CLUSTER 'replicas'
(
    dataset  LowCardinality(String) COMMENT 'Dataset',
    period   LowCardinality(String) COMMENT 'How long the days are that a publication is about: day, month or quarter; none: nothing is expected',
    days     UInt32                 COMMENT 'Days after the end of a period until its data should be here',
    set_at   DateTime64(3, 'UTC')   COMMENT 'When the projector wrote the row'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', set_at)
ORDER BY dataset
COMMENT 'By when the next data of each dataset should be here, as the projector is set: read dataset_due';

-- +goose Down
SELECT throwIf(true, 'the objectives are written by the program, not by a migration');

-- schema/00044_by_series.sql

-- +goose Up

-- The tables of days are ordered by day, because the program reads whole days. People ask for the history of one series
-- too, so each day is stored a second time in the order of the series, as a projection, which ClickHouse chooses by itself
-- (docs/decisions/0067-a-second-order-by-series.md). A delete of superseded builds changes both orders.

ALTER TABLE market_day ON CLUSTER 'replicas' MODIFY SETTING lightweight_mutation_projection_mode = 'rebuild';

ALTER TABLE market_day ON CLUSTER 'replicas' ADD PROJECTION IF NOT EXISTS by_series
(
    SELECT
        series_id, date, build, currency, price, equity, shareholders, business_flow, business_until, flow_reason,
        previous_date, daily_change, daily_outlier, spike, month_date, monthly_change, monthly_outlier,
        family_rar, category, classified_later
    ORDER BY series_id, date, build
)
WITH SETTINGS (index_granularity = 128);

ALTER TABLE market_day ON CLUSTER 'replicas' MATERIALIZE PROJECTION IF EXISTS by_series;

ALTER TABLE return_day ON CLUSTER 'replicas' MODIFY SETTING lightweight_mutation_projection_mode = 'rebuild';

ALTER TABLE return_day ON CLUSTER 'replicas' ADD PROJECTION IF NOT EXISTS by_series
(
    SELECT
        series_id, date, build, effective_end, currency, month_effective_end, month_currency,
        return_1m, return_3m, return_6m, return_1y, return_ytd, return_3y_ann, return_5y_ann, return_last_closed_month,
        reason_1m, reason_3m, reason_6m, reason_1y, reason_ytd, reason_3y_ann, reason_5y_ann, reason_last_closed_month,
        start_1m, start_3m, start_6m, start_1y, start_ytd, start_3y_ann, start_5y_ann, start_last_closed_month
    ORDER BY series_id, date, build
)
WITH SETTINGS (index_granularity = 128);

ALTER TABLE return_day ON CLUSTER 'replicas' MATERIALIZE PROJECTION IF EXISTS by_series;

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');

-- versions

-- The applied migrations, in the form that goose expects.
CREATE TABLE IF NOT EXISTS goose_db_version ON CLUSTER 'replicas'
(
    version_id  Int64    COMMENT 'Number of the migration',
    is_applied  UInt8    COMMENT '1: applied',
    date        Date     DEFAULT now() COMMENT 'Day on which it was applied',
    tstamp      DateTime DEFAULT now() COMMENT 'When it was applied'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY version_id
COMMENT 'Migrations of the schema that were applied'

-- functions

CREATE OR REPLACE FUNCTION cuota_annual ON CLUSTER 'replicas' AS (multiple, years) ->
CREATE OR REPLACE FUNCTION cuota_closed_month_end ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_clp ON CLUSTER 'replicas' AS (currency, amount, dolar) -> multiIf(
CREATE OR REPLACE FUNCTION cuota_currency ON CLUSTER 'replicas' AS (moneda) ->
CREATE OR REPLACE FUNCTION cuota_decimal_text ON CLUSTER 'replicas' AS (multiplier) ->
CREATE OR REPLACE FUNCTION cuota_decimals ON CLUSTER 'replicas' AS (number) ->
CREATE OR REPLACE FUNCTION cuota_due_on ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_factors_believed ON CLUSTER 'replicas' AS (quota, adjustment, distribution, quota_before) ->
CREATE OR REPLACE FUNCTION cuota_fi_id ON CLUSTER 'replicas' AS (run, serie) -> arrayElement(arrayMap(
CREATE OR REPLACE FUNCTION cuota_fold ON CLUSTER 'replicas' AS (name) ->
CREATE OR REPLACE FUNCTION cuota_market_report ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_packed_quote ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_product ON CLUSTER 'replicas' AS (factors) ->
CREATE OR REPLACE FUNCTION cuota_quote_reason ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_rate_reason ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_real ON CLUSTER 'replicas' AS (multiple, uf_start, uf_end, years) ->
CREATE OR REPLACE FUNCTION cuota_rol ON CLUSTER 'replicas' AS (n) -> concat(
CREATE OR REPLACE FUNCTION cuota_spheres_reason ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_unpacked_quote ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_valued ON CLUSTER 'replicas' AS (valuation, multiple, years, in_dollars, fx_start, fx_end, uf_start, uf_end) ->
CREATE OR REPLACE FUNCTION cuota_weighted_mean ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_windows ON CLUSTER 'replicas' AS
CREATE OR REPLACE FUNCTION cuota_words ON CLUSTER 'replicas' AS (name) ->

-- views

CREATE OR REPLACE VIEW former_name ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_file ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_cartola_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW category_name ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_series_name ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_outranked_quota ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_fi_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_fi_quote ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_series_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_indicator ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW tac_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_aafm_daily ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_fund ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_investment_fund ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_investment_value ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_quota ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_rename ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_tac ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_vehicle ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW keyed_fact_table ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW official_return_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_curated_discontinuity ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_exchange ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW noted_file ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW series_official_return_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_article107 ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_benchmark ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_benchmark_price ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_holding ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_official_return ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW file_state ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW arrived_keys ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_later_statement ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW dataset_due ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW file_finding ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_later_row ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_manager ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_cost_month ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_manager_key ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_registry_key ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_dolar ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_tac_statement ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW doubled_id ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_stated_tac ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_manager_by_name ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_return_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_standing_quote ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_discontinuity_quote ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_manager_alias ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW window_endpoints ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_series_step ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW joined_history_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_stored_return ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW factor_history_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_price_return ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_valued_return ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_total_return ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW all_price_return_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW price_return_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW all_valued_return_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW valued_return_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW all_total_return_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW total_return_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_reconciliation ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_flow_direction ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_tac_rate ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_market_change ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_tac_history ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW risk_as_of ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_series_end ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_tac_change ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_tac_latest_month ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW outlier_cap ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_flow_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_market_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_unjudged_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_known_flow ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_manager_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_market_standing ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_universe ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_candidate_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_family_change ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_family_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_family_long_step ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_family_index ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_family_month_return ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_family_summary ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_mover ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW alert_threshold ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_fi_market ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_recomputed_risk_month ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_watchable_series ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_alert ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW built_table ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_day_row_count ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_row_count ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW fact_row_count ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW outdated_reject ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW rejection ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW superseded_build ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW published ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW published_batch ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW batch_known_at ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_candidate_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_classification ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_continuation ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_continued_history ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_discontinuity ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_family_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_family_index ON CLUSTER 'replicas'
CREATE OR REPLACE VIEW current_family_long_step ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_fi_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_fi_instrument ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_flow_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_fund ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_fx_uf_rate ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_index_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_later_row ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_manager ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_manager_day ON CLUSTER 'replicas'
CREATE OR REPLACE VIEW current_market_completeness ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_market_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_return_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_risk_month ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_screener ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_series ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_series_day ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_series_label ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_series_latest ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_series_month ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_series_rename ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_series_return ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_series_step ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_standing_quote ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_summary_family ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_summary_mover ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_tac_month ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW current_window_target ON CLUSTER 'replicas' AS
CREATE OR REPLACE VIEW seen_file ON CLUSTER 'replicas' AS
