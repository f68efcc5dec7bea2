-- +goose Up

-- Facts are what the sources state, with one table for each dataset. Facts are bitemporal:
-- the sorting key ends in (revision, source_sha256). A row that is delivered twice is
-- therefore stored once, and a correction is stored beside the row that it corrects. The
-- current fact is the one with the highest revision. Between equal revisions the greater
-- hash decides, and within one file the later line. So the current fact does not depend on
-- the order of arrival.

CREATE TABLE IF NOT EXISTS fact_quota
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
ENGINE = ReplacingMergeTree(source_line)
PARTITION BY toYear(date)
ORDER BY (run, serie, date, revision, source_sha256, void)
SETTINGS index_granularity = 2048
COMMENT 'Cartola rows: one series on one day, every revision';

CREATE TABLE IF NOT EXISTS fact_fund
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
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, revision, source_sha256)
COMMENT 'Register of mutual funds, every revision';

CREATE TABLE IF NOT EXISTS fact_tac
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
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, serie, date, kind, revision, source_sha256)
COMMENT 'Cost rates by series and month, every revision';

CREATE TABLE IF NOT EXISTS fact_official_return
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
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, serie, date, revision, source_sha256)
COMMENT 'The regulator''s return comparator: families, investor class, spheres, official returns';

CREATE TABLE IF NOT EXISTS fact_aafm_daily
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
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, serie, date, revision, source_sha256)
COMMENT 'Daily sheet of the mutual-fund association, every revision';

CREATE TABLE IF NOT EXISTS fact_indicator
(
    code           LowCardinality(String) COMMENT 'uf or dolar',
    date           Date                   COMMENT 'Day of the value',
    revision       DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen',
    source_sha256  LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    source_line    UInt32                 COMMENT 'Line in the raw file, from 1',
    value          Decimal(18, 6)         COMMENT 'CLP for one UF, or CLP for one US dollar (dólar observado)'
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (code, date, revision, source_sha256)
COMMENT 'UF and dólar observado, every revision';

CREATE TABLE IF NOT EXISTS fact_investment_fund
(
    run            UInt32                 COMMENT 'Fund RUN without check digit',
    revision       DateTime64(3, 'UTC')   COMMENT 'When the register was published, else first seen',
    source_sha256  LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    source_line    UInt32                 COMMENT 'Line in the raw file, from 1',
    name           String                 COMMENT 'Registered name of the fund',
    manager        LowCardinality(String) COMMENT 'Manager name as registered; the source has no RUT',
    kind           LowCardinality(String) COMMENT 'FIRES: redeemable; FINRE: not redeemable'
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, revision, source_sha256)
COMMENT 'Register of investment funds, every revision';

CREATE TABLE IF NOT EXISTS rejected_row
(
    dataset        LowCardinality(String) COMMENT 'Dataset of the file',
    source_sha256  LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    source_line    UInt32                 COMMENT 'Line in the raw file, from 1',
    revision       DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen',
    file           String                 COMMENT 'Base name of the file',
    reason         String                 COMMENT 'What was wrong, for whoever mends the file',
    raw            String                 COMMENT 'The row as it came, cut to 4 KiB'
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (dataset, source_sha256, source_line)
COMMENT 'Rows that did not pass at ingest; nothing is dropped silently';

CREATE TABLE IF NOT EXISTS manifest
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
ENGINE = ReplacingMergeTree(revision)
ORDER BY (dataset, sha256)
COMMENT 'Files whose rows were all published to Kafka, and what they must come to';

CREATE TABLE IF NOT EXISTS complete_file
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
ENGINE = ReplacingMergeTree(revision)
ORDER BY (dataset, sha256)
COMMENT 'Complete files: every key of the manifest has arrived as a fact. Only these enter a batch';

-- +goose Down
SELECT throwIf(true, 'facts are the durable history: no way down');
