-- +goose Up

-- More facts, by the rules of 00001_facts.sql. The sorting key ends in (revision,
-- source_sha256), so a correction overwrites nothing. The current fact has the highest
-- revision, then the greater hash, then the later line.

CREATE TABLE IF NOT EXISTS fact_monthly_tac
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
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (manager_words, fund_words, serie, date, revision, source_sha256)
COMMENT 'The regulator''s monthly cost sheet: real TAC by series and month, every revision. It has names and no RUN';

CREATE TABLE IF NOT EXISTS fact_holding
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
ENGINE = ReplacingMergeTree(source_line)
PARTITION BY toYear(month)
ORDER BY (run, month, market, revision, source_sha256, position)
COMMENT 'Portfolios at the close of a month. One file holds all positions of a (run, month, market), so the newest file replaces the others as a whole and positions of two files are never joined: read FINAL WHERE (run, month, market, revision, source_sha256) IN (SELECT run, month, market, max((revision, source_sha256)).1, max((revision, source_sha256)).2 FROM fact_holding GROUP BY run, month, market), of complete sources only';

CREATE TABLE IF NOT EXISTS fact_investment_value
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
ENGINE = ReplacingMergeTree(source_line)
PARTITION BY toYear(date)
ORDER BY (run, serie, date, revision, source_sha256, void)
SETTINGS index_granularity = 2048
COMMENT 'Daily book values of investment funds by series, every revision';

CREATE TABLE IF NOT EXISTS fact_benchmark
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
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (family_rar, symbol, revision, source_sha256)
COMMENT 'Catalogue of benchmarks: a family''s index, every revision';

CREATE TABLE IF NOT EXISTS fact_benchmark_price
(
    symbol         LowCardinality(String) COMMENT 'Symbol of the instrument, as in fact_benchmark',
    date           Date                   COMMENT 'Day of the price',
    revision       DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen',
    source_sha256  LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    source_line    UInt32                 COMMENT 'Line in the raw file, from 1',
    close          Decimal(18, 6)         COMMENT 'Closing price in the native currency of the benchmark, unconverted'
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (symbol, date, revision, source_sha256)
COMMENT 'Closing prices of benchmarks, every revision';

CREATE TABLE IF NOT EXISTS fact_article107
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
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, revision, source_sha256)
COMMENT 'What fund regulations declare about article 107 of the income tax law, every revision. Freshness depends on the day and is computed by the reader';

CREATE TABLE IF NOT EXISTS fact_factor
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
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, serie, date, revision, source_sha256, source_line)
COMMENT 'Verified factors, one row a calendar day, from which total returns are computed; every revision';

CREATE TABLE IF NOT EXISTS fact_exchange
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
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (event_id, event_revision, revision, source_sha256)
COMMENT 'Exchanges (canjes) of one series'' quotas for another''s, every revision; followed forward only (RULES 1)';

CREATE TABLE IF NOT EXISTS fact_rename
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
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, previous_serie, revision, source_sha256)
COMMENT 'Series that go on under another name, one identity under both (RULES 1); every revision';

CREATE TABLE IF NOT EXISTS fact_discontinuity
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
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, serie, date, revision, source_sha256)
COMMENT 'Known breaks of series: known_discontinuity (RULES 1); every revision';

CREATE TABLE IF NOT EXISTS fact_risk_free
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
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (name, date, revision, source_sha256)
COMMENT 'Risk-free rates that Sharpe and Sortino ratios are measured against (RULES 5); every revision';

CREATE TABLE IF NOT EXISTS fact_vehicle
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
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, revision, source_sha256)
COMMENT 'Which funds are exchange-traded, curated; every revision';

-- +goose Down
SELECT throwIf(true, 'facts are the durable history: no way down');
