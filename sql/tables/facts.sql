-- Facts are what the sources state, with one table for each dataset. Facts are bitemporal: the
-- sorting key ends in (revision, source_sha256). A row that is delivered twice is therefore stored
-- once, and a correction is stored beside the row that it corrects. The current fact is the one with
-- the highest revision; between equal revisions the greater hash counts, then the later line. All
-- other rows are computed from facts, and facts can be read again from the archive of files.

CREATE TABLE IF NOT EXISTS fact_aafm_daily
(
    run                UInt32                                   COMMENT 'Fund RUN without check digit',
    serie              LowCardinality(String)                   COMMENT 'Series name, cut to 12 characters by the source',
    date               Date                                     COMMENT 'Day of the sheet',
    revision           DateTime64(3, 'UTC')                     COMMENT 'When the sheet was published, else first seen',
    source_sha256      LowCardinality(String)                   COMMENT 'Hash of the raw file, hex',
    source_line        UInt32                                   COMMENT 'Line in the raw file, from 1',
    manager            LowCardinality(String)                   COMMENT 'Manager name as the sheet writes it',
    fund               String                                   COMMENT 'Fund name as the sheet writes it',
    bloomberg          String                                   COMMENT 'Bloomberg code; empty when none',
    category           LowCardinality(String)                   COMMENT 'AAFM category; empty when none',
    serie_apv          LowCardinality(String)                   COMMENT 'serie_apv as written: Si, a series for voluntary pension saving, or No; another word where the source has a new one',
    currency           LowCardinality(String)                   COMMENT 'PESOS or DOLAR as written, or another word; empty when the fund did not report',
    equity_clp         Nullable(Decimal(18, 4))                 COMMENT 'Patrimonio neto as stated, CLP',
    quota              Nullable(Decimal(18, 6))                 COMMENT 'Valor cuota, in the series currency',
    units_outstanding  Nullable(Decimal(18, 4))                 COMMENT 'Cuotas en circulación, in quotas',
    units_contributed  Nullable(Decimal(18, 4))                 COMMENT 'Cuotas aportadas that day, in quotas',
    units_redeemed     Nullable(Decimal(18, 4))                 COMMENT 'Cuotas rescatadas that day, in quotas',
    shareholders       Nullable(UInt32)                         COMMENT 'Partícipes',
    parts.natural_key(key: run, serie, date)
)
parts.stored_as_fact(key: run, serie, date)
COMMENT 'Daily sheet of the mutual-fund association, every revision. Holds every revision: read batch_aafm_daily';

CREATE TABLE IF NOT EXISTS fact_article107
(
    run                       UInt32                                COMMENT 'Fund RUN without check digit',
    revision                  DateTime64(3, 'UTC')                  COMMENT 'When the source was published, else first seen',
    source_sha256             LowCardinality(String)                COMMENT 'Hash of the raw file of assessments, hex',
    source_line               UInt32                                COMMENT 'Line in the raw file, from 1',
    status                    LowCardinality(String)                COMMENT 'declares_eligible, declares_not_eligible or unknown: what the regulation declares, not advice (RULES 10)',
    status_reason             String                                COMMENT 'Why the status is what it is; empty when not stated',
    assessed_at               Nullable(DateTime64(6, 'UTC'))        COMMENT 'When an assessment last succeeded',
    updated_at                Nullable(DateTime64(6, 'UTC'))        COMMENT 'When the assessment was last looked at',
    cmf_document_id           String                                COMMENT 'The regulator\'s id of the regulation that was assessed; empty when none',
    observed_cmf_document_id  String                                COMMENT 'Id of the regulation last seen at the regulator; another one than the assessed makes the assessment stale',
    document_url              String                                COMMENT 'Address of the regulation; empty when not stated',
    document_sha256           String                                COMMENT 'Hash of the regulation, hex; empty when not stated',
    cmf_deposit_date          Nullable(Date32)                      COMMENT 'When the regulation was deposited at the regulator',
    cmf_last_modified_date    Nullable(Date32)                      COMMENT 'When it was last modified there',
    fetched_at                Nullable(DateTime64(6, 'UTC'))        COMMENT 'When it was fetched',
    review_status             LowCardinality(String)                COMMENT 'pending, approved or rejected; empty when nobody reviewed',
    reviewed_at               Nullable(DateTime64(6, 'UTC'))        COMMENT 'When it was reviewed',
    reviewed_by               String                                COMMENT 'Who reviewed it; empty when not stated',
    review_note               String                                COMMENT 'Note of the review; empty when none',
    has_evidence              Bool                                  COMMENT 'False: there is no clause, and the columns behind this one say nothing',
    evidence_text             String                                COMMENT 'The clause, on one line',
    evidence_page             Nullable(UInt32)                      COMMENT 'Page of the clause',
    evidence_offset           Nullable(UInt32)                      COMMENT 'Offset of the clause in the text, in characters',
    evidence_section          LowCardinality(String)                COMMENT '3.1 or 3.2 of the article; empty when not stated',
    series_exception          Bool                                  COMMENT 'The clause holds for some series of the fund only',
    rule_id                   String                                COMMENT 'Rule that found the clause',
    parser_version            String                                COMMENT 'Version of what read the document',
    classifier_version        String                                COMMENT 'Version of what judged it',
    parts.natural_key(key: run)
)
parts.stored_as_fact(key: run)
COMMENT 'What fund regulations declare about article 107 of the income tax law, every revision. Freshness depends on the day and is computed by the reader. Holds every revision: read batch_article107';

CREATE TABLE IF NOT EXISTS fact_benchmark
(
    family_rar       LowCardinality(String)                   COMMENT 'Family, as familia_rar writes it',
    symbol           LowCardinality(String)                   COMMENT 'Symbol of the instrument whose price stands for the index',
    parts.source_of_fact,
    index_name       String                                   COMMENT 'Name of the index',
    instrument_name  String                                   COMMENT 'Name of the instrument; empty when the index itself is priced',
    native_currency  LowCardinality(String)                   COMMENT 'Currency of the prices: USD or CLP',
    asset_class      LowCardinality(String)                   COMMENT 'Asset class, as equity; empty when not stated',
    active           Bool                                     COMMENT 'False: the family is no longer held against it',
    parts.natural_key(key: family_rar, symbol)
)
parts.stored_as_fact(key: family_rar, symbol)
COMMENT 'Catalogue of benchmarks: a family\'s index, every revision. Holds every revision: read batch_benchmark';

CREATE TABLE IF NOT EXISTS fact_benchmark_price
(
    symbol         LowCardinality(String)                   COMMENT 'Symbol of the instrument, as in fact_benchmark',
    date           Date                                     COMMENT 'Day of the price',
    parts.source_of_fact,
    close          Decimal(18, 6)                           COMMENT 'Closing price in the native currency of the benchmark, unconverted',
    parts.natural_key(key: symbol, date)
)
parts.stored_as_fact(key: symbol, date)
COMMENT 'Closing prices of benchmarks, every revision. Holds every revision: read batch_benchmark_price';

CREATE TABLE IF NOT EXISTS fact_discontinuity
(
    run              UInt32                                   COMMENT 'Fund RUN without check digit',
    serie            LowCardinality(String)                   COMMENT 'Series name',
    date             Date                                     COMMENT 'First day after the break: no return reaches over it',
    parts.source_of_fact,
    note             String                                   COMMENT 'What happened',
    evidence_url     String                                   COMMENT 'Address of the document that proves the event',
    evidence_sha256  String                                   COMMENT 'Hash of that document, hex',
    parts.natural_key(key: run, serie, date)
)
parts.stored_as_fact(key: run, serie, date)
COMMENT 'Known breaks of series: known_discontinuity (RULES 1); every revision. Holds every revision: read batch_curated_discontinuity';

CREATE TABLE IF NOT EXISTS fact_end
(
    run              UInt32                                   COMMENT 'Fund RUN without check digit; 0: every fund',
    serie            LowCardinality(String)                   COMMENT 'Series name; empty: every series of the fund',
    ended_on         Date                                     COMMENT 'First day without a row; it holds for series that have no row on that day or later',
    parts.source_of_fact,
    note             String                                   COMMENT 'What happened',
    evidence_url     String                                   COMMENT 'Address of the document that proves the event',
    evidence_sha256  String                                   COMMENT 'Hash of that document, hex',
    natural_key      FixedString(16) ALIAS sipHash128(run, serie, ended_on) COMMENT 'Hash of the natural key: a file is complete when as many keys of it have arrived as its manifest counts'
)
parts.stored_as_fact(key: run, serie, ended_on)
COMMENT 'Ends of series, of funds and of the market, as persons state them; every revision. Holds every revision: read batch_series_end';

CREATE TABLE IF NOT EXISTS fact_exchange
(
    event_id           String                                   COMMENT 'Lasting name of the event',
    event_revision     UInt32                                   COMMENT 'Revision of the event, from 1: the highest is the event',
    parts.source_of_fact,
    origin_run         UInt32                                   COMMENT 'RUN of the fund whose quotas are given up, without check digit',
    origin_serie       LowCardinality(String)                   COMMENT 'Series whose quotas are given up',
    destination_run    UInt32                                   COMMENT 'RUN of the fund whose quotas are received, without check digit',
    destination_serie  LowCardinality(String)                   COMMENT 'Series whose quotas are received',
    effective_date     Date                                     COMMENT 'First day on which the quotas are those of the destination',
    valuation_date     Date                                     COMMENT 'Day whose quota values the factor was computed from',
    factor             Decimal(18, 9)                           COMMENT 'Quotas of the destination for one of the origin',
    evidence_url       String                                   COMMENT 'Address of the document that proves the event',
    evidence_sha256    String                                   COMMENT 'Hash of that document, hex',
    parts.natural_key(key: event_id, event_revision)
)
parts.stored_as_fact(key: event_id, event_revision)
COMMENT 'Exchanges (canjes) of one series\' quotas for another\'s, every revision; followed forward only (RULES 1). Holds every revision: read batch_exchange';

CREATE TABLE IF NOT EXISTS fact_factor
(
    run                  UInt32                                   COMMENT 'Fund RUN without check digit',
    serie                LowCardinality(String)                   COMMENT 'Series name',
    date                 Date                                     COMMENT 'Day that the factors hold for',
    revision             DateTime64(3, 'UTC')                     COMMENT 'When the source was published, else first seen',
    source_sha256        LowCardinality(String)                   COMMENT 'Hash of the raw file, hex',
    source_line          UInt32                                   COMMENT 'Line in the raw file, from 1; two lines of the current file for one day are a duplicate_factor_date (RULES 1)',
    distribution_factor  Decimal(18, 9)                           COMMENT 'Factor de reparto, verified: (quota + payment) / quota; 1 when nothing was paid',
    adjustment_factor    Decimal(18, 9)                           COMMENT 'Factor de ajuste, verified: change of the quota\'s unit; 1 when none',
    quota                Decimal(18, 6)                           COMMENT 'Valor cuota that the factors belong to; must equal ours (RULES 1)',
    currency             LowCardinality(String)                   COMMENT 'PESOS or DOLAR',
    evidence_url         String                                   COMMENT 'Address of the document that proves the row',
    evidence_sha256      String                                   COMMENT 'Hash of that document, hex',
    parts.natural_key(key: run, serie, date, source_line)
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, serie, date, revision, source_sha256, source_line)
COMMENT 'Verified factors, one row a calendar day, from which total returns are computed; every revision. Holds every revision: read factor_history_as_of';

CREATE TABLE IF NOT EXISTS fact_fund
(
    run            UInt32                                COMMENT 'Fund RUN without check digit',
    revision       DateTime64(3, 'UTC')                  COMMENT 'When the register was published, else first seen',
    source_sha256  LowCardinality(String)                COMMENT 'Hash of the raw file, hex',
    source_line    UInt32                                COMMENT 'Line in the raw file, from 1',
    manager_rut    UInt32                                COMMENT 'Manager (AGF) RUT without check digit',
    manager        LowCardinality(String)                COMMENT 'Manager name as registered, spaces collapsed',
    name           String                                COMMENT 'Registered name of the fund',
    short_name     String                                COMMENT 'Nombre corto',
    approved       Nullable(Date32)                      COMMENT 'Date of the resolution that approved its rules',
    resolution     String                                COMMENT 'Number of that resolution',
    kind           UInt8                                 COMMENT 'Tipo de fondo mutuo as written, so far 1 to 8; 0 where it is no number',
    started        Nullable(Date32)                      COMMENT 'Start of operations',
    ended          Nullable(Date32)                      COMMENT 'End of operations; null while open',
    moneda         LowCardinality(String)                COMMENT 'Currency as written: $$ pesos, PROM dollars; any other is unknown (RULES 6)',
    parts.natural_key(key: run)
)
parts.stored_as_fact(key: run)
COMMENT 'Register of mutual funds, every revision. Holds every revision: read batch_fund';

CREATE TABLE IF NOT EXISTS fact_holding
(
    run                  UInt32                                   COMMENT 'Fund RUN without check digit',
    month                Date                                     COMMENT 'Last day of the month at whose close the position was held',
    market               LowCardinality(String)                   COMMENT 'N nacional, E extranjera; of investment funds also M participation method, B real estate, O options, F futures (RULES 9)',
    revision             DateTime64(3, 'UTC')                     COMMENT 'When the source was published, else first seen',
    source_sha256        LowCardinality(String)                   COMMENT 'Hash of the raw file, hex',
    position             UInt32                                   COMMENT 'Place among the rows that the file has of the fund and market, from 1: two lots of one instrument are two positions',
    source_line          UInt32                                   COMMENT 'Line in the raw file, from 1',
    nemotecnico          String                                   COMMENT 'Nemotécnico of the instrument; empty when none',
    issuer               String                                   COMMENT 'Name of the issuer; empty where the source names it by RUT alone',
    issuer_rut           UInt32                                   COMMENT 'RUT of the issuer without check digit; 0 when none',
    country              LowCardinality(String)                   COMMENT 'Country of the issuer as written, two letters',
    instrument           LowCardinality(String)                   COMMENT 'Tipo de instrumento, code as written',
    units                Nullable(Decimal(18, 6))                 COMMENT 'Units held; null where not stated',
    valuation_thousands  Nullable(Decimal(18, 4))                 COMMENT 'Valorización al cierre, thousands of the fund\'s currency; null where not stated',
    percent              Nullable(Decimal(18, 8))                 COMMENT 'Share of the fund\'s assets, percent: 29.824 is 29.824 %',
    moneda               LowCardinality(String)                   COMMENT 'Currency of settlement as written, not that of the valuation; empty where not stated',
    parts.natural_key(key: run, month, market, position)
)
ENGINE = ReplacingMergeTree(source_line)
PARTITION BY toYear(month)
ORDER BY (run, month, market, revision, source_sha256, position)
COMMENT 'Portfolios at the close of a month. One file holds all positions of a (run, month, market), so the newest file replaces the others as a whole and positions of two files are never joined. Holds every revision: read batch_holding';

CREATE TABLE IF NOT EXISTS fact_indicator
(
    code           LowCardinality(String)                   COMMENT 'uf or dolar',
    date           Date                                     COMMENT 'Day of the value',
    parts.source_of_fact,
    value          Decimal(18, 6)                           COMMENT 'CLP for one UF, or CLP for one US dollar (dólar observado)',
    parts.natural_key(key: code, date)
)
parts.stored_as_fact(key: code, date)
COMMENT 'UF and dólar observado, every revision. Holds every revision: read batch_indicator';

CREATE TABLE IF NOT EXISTS fact_investment_fund
(
    run            UInt32                                COMMENT 'Fund RUN without check digit',
    revision       DateTime64(3, 'UTC')                  COMMENT 'When the register was published, else first seen',
    source_sha256  LowCardinality(String)                COMMENT 'Hash of the raw file, hex',
    source_line    UInt32                                COMMENT 'Line in the raw file, from 1',
    name           String                                COMMENT 'Registered name of the fund',
    manager        LowCardinality(String)                COMMENT 'Manager name as registered; the source has no RUT',
    kind           LowCardinality(String)                COMMENT 'FIRES: redeemable; FINRE: not redeemable; another word where the register has a new one',
    closed         Bool                                  COMMENT 'True: the register calls the fund no vigente; false: it calls it anything else or does not say',
    parts.natural_key(key: run),
    state          LowCardinality(String)                COMMENT 'estado as written: vigente, no vigente, or another word; empty where the register has no such column'
)
parts.stored_as_fact(key: run)
COMMENT 'Register of investment funds, every revision. Holds every revision: read batch_investment_fund';

CREATE TABLE IF NOT EXISTS fact_investment_value
(
    run             UInt32                   COMMENT 'Fund RUN without check digit',
    serie           LowCardinality(String)   COMMENT 'Series name, upper case; UNICA where the source leaves it blank',
    date            Date                     COMMENT 'Day of the values',
    revision        DateTime64(3, 'UTC')     COMMENT 'When the source was published, else first seen',
    source_sha256   LowCardinality(String)   COMMENT 'Hash of the raw file, hex',
    void            Bool                     COMMENT 'True: the row was rejected at ingest but its day is known; amounts are null and the value counts as invalid (RULES 1)',
    source_line     UInt32                   COMMENT 'Line in the raw file, from 1; of a web page the row among its table rows',
    moneda          LowCardinality(String)   COMMENT 'Currency as written: $$, CLP or PESOS; PROM, USD or DOLAR; any other is unknown (RULES 6)',
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
COMMENT 'Daily book values of investment funds by series, every revision. Holds every revision: read batch_investment_value';

CREATE TABLE IF NOT EXISTS fact_monthly_tac
(
    date                Date                                     COMMENT 'Last day of the month that the figures are for',
    manager_words       LowCardinality(String)                   COMMENT 'Manager name reduced as cuota_words does: what the RUN is found by',
    fund_words          String                                   COMMENT 'Fund name reduced as cuota_words does: what the RUN is found by',
    serie               LowCardinality(String)                   COMMENT 'Series name, upper case; UNICA where the source leaves it blank',
    parts.source_of_fact,
    manager             LowCardinality(String)                   COMMENT 'Manager name as the sheet writes it, its letters repaired',
    fund                String                                   COMMENT 'Fund name as the sheet writes it, its letters repaired and the mark of a footnote cut',
    fund_type           LowCardinality(String)                   COMMENT 'Tipo de fondo as written',
    moneda              LowCardinality(String)                   COMMENT 'Currency as written',
    features            String                                   COMMENT 'Características of the series',
    fixed_fee           String                                   COMMENT 'Remuneración fija that the rules of the fund allow, as worded there',
    variable_fee        String                                   COMMENT 'Remuneración variable that the rules allow, as worded there',
    operating_expenses  String                                   COMMENT 'Gastos de operación that the rules allow, as worded there',
    fixed_percent       Nullable(Decimal(18, 8))                 COMMENT 'Part of the TAC that is fixed remuneration, percent a year; null where the sheet says NA',
    variable_percent    Nullable(Decimal(18, 8))                 COMMENT 'Part of the TAC that is variable remuneration, percent a year',
    expenses_percent    Nullable(Decimal(18, 8))                 COMMENT 'Part of the TAC that is operating expenses, percent a year',
    total_percent       Nullable(Decimal(18, 8))                 COMMENT 'Real TAC, percent a year: 1.32 is 1.32 %; 0 is a real value. Never mixed with the synthetic one (RULES 2)',
    placement_terms     String                                   COMMENT 'Conditions of the commission on subscription, as worded',
    placement_fee       String                                   COMMENT 'Commission on subscription, as worded',
    deferred_terms      String                                   COMMENT 'Conditions of the deferred commission, as worded',
    deferred_fee        String                                   COMMENT 'Deferred commission, as worded',
    parts.natural_key(key: manager_words, fund_words, serie, date)
)
parts.stored_as_fact(key: manager_words, fund_words, serie, date)
COMMENT 'The regulator\'s monthly cost sheet: real TAC by series and month, every revision. It has names and no RUN. Holds every revision: read batch_stated_tac';

CREATE TABLE IF NOT EXISTS fact_official_return
(
    run             UInt32                                   COMMENT 'Fund RUN without check digit',
    serie           LowCardinality(String)                   COMMENT 'Series name',
    date            Date                                     COMMENT 'Date of the comparator file',
    parts.source_of_fact,
    family_rar      LowCardinality(String)                   COMMENT 'familia_rar: the finest family, the peer group of the spheres',
    family_display  LowCardinality(String)                   COMMENT 'familia_visualizador',
    family_studies  LowCardinality(String)                   COMMENT 'familia_estudios, the coarsest family',
    investor_class  LowCardinality(String)                   COMMENT 'clase_inversionista',
    fund            String                                   COMMENT 'Fund name as the source writes it',
    manager         LowCardinality(String)                   COMMENT 'Manager name as the source writes it',
    serie_digital   LowCardinality(String)                   COMMENT 'serie_digital as written: 1, a digital series, or 0; another word where the source has a new one',
    spheres         UInt8                                    COMMENT 'ind_rar_pond: 1 to 5, 5 best; 0 when the regulator gave none',
    nominal_1y      Nullable(Decimal(18, 8))                 COMMENT 'Nominal return of 1 year, percent',
    real_1y         Nullable(Decimal(18, 8))                 COMMENT 'Real return of 1 year, percent',
    nominal_3y      Nullable(Decimal(18, 8))                 COMMENT 'Nominal return of 3 years, annualised, percent',
    real_3y         Nullable(Decimal(18, 8))                 COMMENT 'Real return of 3 years, annualised, percent',
    nominal_5y      Nullable(Decimal(18, 8))                 COMMENT 'Nominal return of 5 years, annualised, percent',
    real_5y         Nullable(Decimal(18, 8))                 COMMENT 'Real return of 5 years, annualised, percent',
    nominal_10y     Nullable(Decimal(18, 8))                 COMMENT 'Nominal return of 10 years, annualised, percent',
    real_10y        Nullable(Decimal(18, 8))                 COMMENT 'Real return of 10 years, annualised, percent',
    parts.natural_key(key: run, serie, date)
)
parts.stored_as_fact(key: run, serie, date)
COMMENT 'The regulator\'s return comparator: families, investor class, spheres, official returns. Holds every revision: read series_official_return_as_of';

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
    moneda               LowCardinality(String)   COMMENT 'Currency as written: $$ pesos, PROM dollars; any other is unknown (RULES 6)',
    quota                Nullable(Decimal(18, 6)) COMMENT 'Valor cuota, in the series currency',
    equity               Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto of the series, in its currency',
    total_assets         Nullable(Decimal(18, 4)) COMMENT 'Activo total of the whole fund, repeated on each series, in its currency',
    units_outstanding    Nullable(Decimal(18, 4)) COMMENT 'Cuotas en circulación, in quotas',
    units_contributed    Nullable(Decimal(18, 4)) COMMENT 'Cuotas aportadas that day, in quotas',
    units_redeemed       Nullable(Decimal(18, 4)) COMMENT 'Cuotas rescatadas that day, in quotas',
    shareholders         Nullable(UInt32)         COMMENT 'Número de partícipes',
    institutional        Nullable(UInt32)         COMMENT 'Of these, institutional',
    participes_inst      LowCardinality(String)   COMMENT 'PARTICIPES_INST as written: S, the fund has institutional shareholders that day, or N; another word where the source has a new one',
    fondo_pen            LowCardinality(String)   COMMENT 'FONDO_PEN as written: S or N; another word where the source has a new one',
    invested_in_funds    Nullable(Decimal(18, 4)) COMMENT 'INVERSION_EN_FONDOS: what the whole fund has in other funds, repeated on each series, full units of its currency; null where the file has no number',
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
COMMENT 'Cartola rows: one series on one day, every revision. Holds every revision: read batch_quota';

CREATE TABLE IF NOT EXISTS fact_rename
(
    run                 UInt32                                   COMMENT 'Fund RUN without check digit',
    previous_serie      LowCardinality(String)                   COMMENT 'Name that the series gave up',
    parts.source_of_fact,
    current_serie       LowCardinality(String)                   COMMENT 'Name that the series took',
    first_current_date  Date                                     COMMENT 'First day under the new name',
    evidence_url        String                                   COMMENT 'Address of the document that proves the event',
    evidence_sha256     String                                   COMMENT 'Hash of that document, hex',
    parts.natural_key(key: run, previous_serie)
)
parts.stored_as_fact(key: run, previous_serie)
COMMENT 'Series that go on under another name, one identity under both (RULES 1); every revision. Holds every revision: read batch_rename';

CREATE TABLE IF NOT EXISTS fact_risk_free
(
    name             LowCardinality(String)                   COMMENT 'Name of the rate, stated with each figure that uses it',
    date             Date                                     COMMENT 'Day from which the rate holds, until the next',
    parts.source_of_fact,
    annual_percent   Decimal(18, 8)                           COMMENT 'Rate, percent a year: 5.25 is 5.25 %',
    evidence_url     String                                   COMMENT 'Address of the document that proves the rate',
    evidence_sha256  String                                   COMMENT 'Hash of that document, hex',
    parts.natural_key(key: name, date)
)
parts.stored_as_fact(key: name, date)
COMMENT 'Risk-free rates that Sharpe and Sortino ratios are measured against (RULES 5); every revision';

CREATE TABLE IF NOT EXISTS fact_tac
(
    run             UInt32                                   COMMENT 'Fund RUN without check digit',
    serie           LowCardinality(String)                   COMMENT 'Series name',
    date            Date                                     COMMENT 'Month end that the figure is for',
    kind            LowCardinality(String)                   COMMENT 'synthetic: counts the costs of underlying funds; real: does not. Never mixed in one history (RULES 2)',
    parts.source_of_fact,
    percent         Decimal(18, 8)                           COMMENT 'Annual cost rate, percent: 1.32 is 1.32 %',
    investor_class  LowCardinality(String)                   COMMENT 'Clase de inversionista that came with the rate: the dated TAC class',
    moneda          LowCardinality(String)                   COMMENT 'Currency as written: $$ pesos, PROM dollars; any other is unknown (RULES 6)',
    fund            String                                   COMMENT 'Fund name as the source writes it',
    manager         LowCardinality(String)                   COMMENT 'Manager name as the source writes it',
    serie_digital   LowCardinality(String)                   COMMENT 'serie_digital as written: 1, a digital series, or 0; another word where the source has a new one',
    equity_stated   Nullable(Decimal(18, 8))                 COMMENT 'pat_total as stated: thousand millions of CLP or millions of USD; null where the file has no number',
    parts.natural_key(key: run, serie, date, kind)
)
parts.stored_as_fact(key: run, serie, date, kind)
COMMENT 'Cost rates by series and month, every revision. Holds every revision: read batch_stated_tac';

CREATE TABLE IF NOT EXISTS fact_vehicle
(
    run              UInt32                                COMMENT 'Fund RUN without check digit',
    parts.source_of_fact,
    is_etf           Bool                                  COMMENT 'The fund is exchange-traded; a fund without a row is unknown (RULES 11)',
    note             String                                COMMENT 'Remark; empty when none',
    evidence_url     String                                COMMENT 'Address of the document that proves the flag',
    evidence_sha256  String                                COMMENT 'Hash of that document, hex',
    parts.natural_key(key: run)
)
parts.stored_as_fact(key: run)
COMMENT 'Which funds are exchange-traded, curated; every revision. Holds every revision: read batch_vehicle';
