-- Batches. A batch is published by its row in the table batch, which is written last. So if N is a
-- published batch, all rows of batch N are complete. Each published batch notes how many rows it has, so
-- that a later loss of rows is found.

CREATE TABLE IF NOT EXISTS batch_attempt ON CLUSTER 'replicas'
(
    batch       UInt64               COMMENT 'Number of the batch, published or not; never used twice',
    started_at  DateTime64(3, 'UTC') COMMENT 'When building began',
    claim       String DEFAULT ''    COMMENT 'Who took the number: random, so that two that took the same one see it'
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
COMMENT 'Which files a batch is made of: those of its own number and of all before. Holds several batches: read batch_file';

CREATE TABLE IF NOT EXISTS batch ON CLUSTER 'replicas'
(
    batch                 UInt64                            COMMENT 'Number of the batch',
    batch_id              String                            COMMENT 'Public name of the batch: cutoff, number, start of the fingerprint',
    as_of_date            Nullable(Date)                    COMMENT 'Cutoff: the latest complete date; null while no date is complete',
    latest_complete_date  Nullable(Date)                    COMMENT 'Latest date on which the market was complete (RULES 1)',
    last_quota_date       Nullable(Date)                    COMMENT 'Latest date with any quota value',
    calculation_date      Date                              COMMENT 'Santiago day on which the batch was built',
    calculated_at         DateTime64(3, 'UTC')              COMMENT 'When the batch was built',
    input_fingerprint     FixedString(64)                   COMMENT 'sha256 over the files of the batch and their revisions, hex',
    method_version        LowCardinality(String)            COMMENT 'Version of the return rules',
    tolerance_days        UInt8                             COMMENT 'Oldest quote that stands for a target date, calendar days',
    series_count          UInt32                            COMMENT 'Rows of the screener: series alive at the cutoff',
    total_records         UInt64                            COMMENT 'Facts of all datasets in the batch, corrections resolved',
    rebuilt_days          UInt32                            COMMENT 'Days of series_day that this batch built anew',
    rules                 LowCardinality(String) DEFAULT '' COMMENT 'sha256 over the statements that computed the batch, hex',
    noted                 Bool DEFAULT false                COMMENT 'True if the batch noted the rows of its tables (batch_table)'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY batch
COMMENT 'Published batches. The highest number is the current one';

CREATE TABLE IF NOT EXISTS batch_failure ON CLUSTER 'replicas'
(
    batch      UInt64               COMMENT 'Number of the batch that was not published',
    failed_at  DateTime64(3, 'UTC') COMMENT 'When it was given up',
    reason     String               COMMENT 'The statement that failed, or the checks that the batch did not pass',
    refused    Bool DEFAULT false   COMMENT 'The batch was built and did not pass its checks: it is built again only once something new arrives. False for a batch that could not be built'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY batch
COMMENT 'Batches that were begun and not published, and why. Readers pass over the builds of days and the lists of files that they left';

CREATE TABLE IF NOT EXISTS batch_progress ON CLUSTER 'replicas'
(
    batch        UInt64                                   COMMENT 'Number of the batch that is being built',
    noted_at     DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC') COMMENT 'When it was noted, at most once a second',
    done         UInt16                                   COMMENT 'Projections that were done by then',
    projections  UInt16                                   COMMENT 'Projections that the batch consists of'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY (batch, noted_at)
TTL toDateTime(noted_at) + toIntervalDay(7)
COMMENT 'How far the projector is with a batch; kept for a week';

CREATE TABLE IF NOT EXISTS batch_table ON CLUSTER 'replicas'
(
    batch  UInt64                 COMMENT 'Batch that wrote the rows; for a file, the first batch that read it',
    table  LowCardinality(String) COMMENT 'Table that holds the rows',
    piece  String                 COMMENT 'What the rows are of: a day (YYYY-MM-DD) in a table of days, a file (sha256) in a table of facts; empty: of the batch as a whole',
    rows   UInt64                 COMMENT 'Rows that the table held of the piece when the batch was published; a fact that arrived twice counts once'
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

CREATE TABLE IF NOT EXISTS retired_batch ON CLUSTER 'replicas'
(
    batch  UInt64 COMMENT 'Number of a batch whose rows were dropped'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY batch
COMMENT 'Batches too old to be asked for';

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

CREATE TABLE IF NOT EXISTS project_command ON CLUSTER 'replicas'
(
    id        String               COMMENT 'Id of the command, as it stood in the control topic',
    rebuild   Bool                 COMMENT 'Build every day anew',
    asked_at  DateTime64(3, 'UTC') COMMENT 'When the projector received it',
    inspect   Bool DEFAULT false   COMMENT 'Inspect the stored tables, and build only what is found damaged'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY id
COMMENT 'Commands to build that arrived. One that was received twice has two rows; those that are carried out stand in command_done';

CREATE TABLE IF NOT EXISTS command_done ON CLUSTER 'replicas'
(
    id       String               COMMENT 'Id of the command, as it stood in the control topic',
    batch    UInt64               COMMENT 'Batch that it led to, published or refused',
    done_at  DateTime64(3, 'UTC') COMMENT 'When that batch was published or refused',
    failure  String DEFAULT ''    COMMENT 'Why the batch was refused by its checks; empty: it was published'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY id
COMMENT 'Commands to build that were carried out, so that a redelivered one is not carried out twice';

-- Days of series. A day is always rebuilt completely. Its rows carry the batch that built them, and a
-- reader of batch N takes the newest build up to N.

CREATE TABLE IF NOT EXISTS series_day_version ON CLUSTER 'replicas'
(
    date   Date   COMMENT 'Day whose rows were built',
    build  UInt64 COMMENT 'Batch that built them'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY (date, build)
COMMENT 'Which batch built which day of series_day, superseded ones too. Holds superseded days: read current_series_day, which takes the newest build of each day';

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
    invested_in_funds    Nullable(Decimal(18, 4)) COMMENT 'What the whole fund has in other funds, repeated on each series, full units of currency; null where the file has no number',
    adjustment_factor    Nullable(Decimal(18, 9)) COMMENT 'Factor de ajuste; null: none stated, 1',
    distribution_factor  Nullable(Decimal(18, 9)) COMMENT 'Factor de reparto; null: none stated, 1'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYear(date)
ORDER BY (series_id, date, build)
SETTINGS index_granularity = 1024
COMMENT 'One row per series and day, corrections resolved. Holds superseded days: read current_series_day';

CREATE TABLE IF NOT EXISTS fi_day_version ON CLUSTER 'replicas'
(
    date   Date   COMMENT 'Day whose rows were built',
    build  UInt64 COMMENT 'Batch that built them'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY (date, build)
COMMENT 'Which batch built which day of fi_day, superseded ones too. Holds superseded days: read current_fi_day, which takes the newest build of each day';

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
COMMENT 'One row per series of an investment fund and day, corrections resolved. Holds superseded days: read current_fi_day';

CREATE TABLE IF NOT EXISTS discontinuity ON CLUSTER 'replicas'
(
    batch      UInt64                 COMMENT 'Batch',
    series_id  UInt32                 COMMENT 'Series id (registry)',
    date       Date                   COMMENT 'Later of the two quotes between which the series breaks',
    kind       LowCardinality(String) COMMENT 'currency_change; or a known discontinuity: gap (over 31 days), restart (equity 0, then more), adjustment (factor de ajuste not 1), unit_change (the rows show that the quota has another unit, without a factor: RULES 8), curated (an event says so; date is the first day after the break)',
    evidence   String                 COMMENT 'What shows it: of unit_change the figures of the two rows, of curated the address of the document; empty for other kinds'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id, date)
COMMENT 'Days across which a price return would be meaningless (RULES 1). Holds several batches: read current_discontinuity';

CREATE TABLE IF NOT EXISTS market_completeness ON CLUSTER 'replicas'
(
    batch               UInt64                COMMENT 'Batch',
    date                Date                  COMMENT 'Day with at least one row',
    rows                UInt32                COMMENT 'Series with a row that day, void ones included',
    series              UInt32                COMMENT 'Of these, with a quote',
    prior_series        UInt32                COMMENT 'Series counted: those with a row that day, and those with one since the last complete day, or in the seven days before if that is earlier, that have stated no end; rejected rows count. Series silent for more than 95 days are left out if they are fewer than the others',
    present_series      UInt32                COMMENT 'Of these, with a row that day, void ones included',
    void_series         UInt32                COMMENT 'Of the present series, those whose row of the day was rejected: it is void',
    prior_equity_clp    Decimal(38, 4)        COMMENT 'Equity of the series counted at their last quote before the day, CLP; dollars at the dólar observado of that quote\'s day or of at most 7 days before; others left out',
    present_equity_clp  Decimal(38, 4)        COMMENT 'Of this, held by the present series, CLP',
    has_data            Bool DEFAULT complete COMMENT 'At least half of the series counted, and one series at all, have a quote that day: views of the market answer for it',
    complete            Bool                  COMMENT 'The day has data, at least 98 % of the series counted have a quote, where one void row counts as a quote, and those with a row hold at least 99 % of the equity (RULES 1)'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, date)
COMMENT 'How complete the market is on each day. Holds several batches: read current_market_completeness';

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
COMMENT 'How the holdings of exchanged series go on in others, forward only and at most five hops far (RULES 1). A window uses the hops that are effective by its end. Holds several batches: read current_continuation';

CREATE TABLE IF NOT EXISTS continued_history ON CLUSTER 'replicas'
(
    batch      UInt64 COMMENT 'Batch',
    series_id  UInt32 COMMENT 'Series whose holdings go on elsewhere (registry)',
    quotes Array(Tuple(
        part UInt8,
        date Date,
        quota Nullable(Decimal(18, 6)),
        currency String)) COMMENT 'Quotes by date: of part 0 until the series is exchanged, then of part 1, the destination of hop 1, and so on (continuation)',
    breaks Array(Tuple(
        part UInt8,
        date Date,
        kind String)) COMMENT 'Breaks inside that history as in discontinuity, but adjustments; those between two parts belong to the later one'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id)
COMMENT 'The histories of exchanged series, each joined with those that its holdings go on in (RULES 1). Holds several batches: read current_continued_history';

CREATE TABLE IF NOT EXISTS fx_uf_rate ON CLUSTER 'replicas'
(
    batch  UInt64 COMMENT 'Batch',
    date   Date   COMMENT 'Calendar day, with or without publication; the first is that of the oldest indicator',
    fx Tuple(
        date Nullable(Date),
        value Nullable(Decimal(18, 6)),
        sha256 Nullable(String),
        revision Nullable(DateTime64(3, 'UTC'))) COMMENT 'Dólar observado last published on or before the day, however old: its day, CLP for one US dollar, hash of the file, when that was published; null before the first',
    uf Tuple(
        date Nullable(Date),
        value Nullable(Decimal(18, 6)),
        sha256 Nullable(String),
        revision Nullable(DateTime64(3, 'UTC'))) COMMENT 'UF of the very day: its day, CLP for one UF, hash of the file, when that was published; null where there is none'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, date)
COMMENT 'What quotes of each calendar day are converted with (RULES 1). Holds several batches: read current_fx_uf_rate';

CREATE TABLE IF NOT EXISTS series_step ON CLUSTER 'replicas'
(
    batch      UInt64  COMMENT 'Number of the batch',
    series_id  UInt32  COMMENT 'Series id (registry)',
    date       Date    COMMENT 'Day of a quote',
    broken     Bool    COMMENT 'The series breaks before this quote: nothing before it compares with it',
    factor     Float64 COMMENT 'Otherwise what one quota of the quote before has become: adjustment times distribution factor'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id, date)
COMMENT 'What happens to the series of mutual funds between quotes, for whoever holds them (docs/backtests.md, section 4). Holds several batches: read current_series_step';

CREATE TABLE IF NOT EXISTS later_row ON CLUSTER 'replicas'
(
    date          Date   COMMENT 'Day of the row',
    series_id     UInt32 COMMENT 'Series id (registry)',
    build         UInt64 COMMENT 'Batch that built this day',
    loaded_later  Bool   COMMENT 'The first statement was published more than 62 days after the day, so nobody knows when it was seen first',
    statements Array(Tuple(
        known_on Date,
        said UInt64,
        sound Bool,
        quota Nullable(Decimal(18, 6)),
        currency String,
        equity Nullable(Decimal(18, 4)))) COMMENT 'What was stated of the row, a correction after what it corrects: the day on which it was known, a hash of all that it states, whether its quota is above 0, the quota and equity in currency (full units)'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYear(date)
ORDER BY (date, series_id, build)
COMMENT 'The cartola rows that a later file corrected, or added to a day that another file had stated. Holds superseded days: read current_later_row';

-- Facts are what the sources state, with one table for each dataset. Facts are bitemporal: the
-- sorting key ends in (revision, source_sha256). A row that is delivered twice is therefore stored
-- once, and a correction is stored beside the row that it corrects. The current fact is the one with
-- the highest revision; between equal revisions the greater hash counts, then the later line. Facts are
-- the durable history: everything else is computed from them.

CREATE TABLE IF NOT EXISTS fact_aafm_daily ON CLUSTER 'replicas'
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
    natural_key        FixedString(16) ALIAS sipHash128(run, serie, date) COMMENT 'Hash of the natural key: run, serie, date. Two rows of a file with the same hash are one fact'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, serie, date, revision, source_sha256)
COMMENT 'Daily sheet of the mutual-fund association, every revision. Holds every revision: read batch_aafm_daily';

CREATE TABLE IF NOT EXISTS fact_article107 ON CLUSTER 'replicas'
(
    run                       UInt32                                COMMENT 'Fund RUN without check digit',
    revision                  DateTime64(3, 'UTC')                  COMMENT 'When the source was published, else first seen',
    source_sha256             LowCardinality(String)                COMMENT 'Hash of the raw file of assessments, hex',
    source_line               UInt32                                COMMENT 'Line in the raw file, from 1',
    status                    LowCardinality(String)                COMMENT 'declares_eligible, declares_not_eligible or unknown: what the regulation declares, not advice (RULES 10)',
    status_reason             String                                COMMENT 'Why the status is what it is; empty when not told',
    assessed_at               Nullable(DateTime64(6, 'UTC'))        COMMENT 'When an assessment last succeeded',
    updated_at                Nullable(DateTime64(6, 'UTC'))        COMMENT 'When the assessment was last looked at',
    cmf_document_id           String                                COMMENT 'The regulator\'s id of the regulation that was assessed; empty when none',
    observed_cmf_document_id  String                                COMMENT 'Id of the regulation last seen at the regulator; another one than the assessed makes the assessment stale',
    document_url              String                                COMMENT 'Address of the regulation; empty when not told',
    document_sha256           String                                COMMENT 'Hash of the regulation, hex; empty when not told',
    cmf_deposit_date          Nullable(Date32)                      COMMENT 'When the regulation was deposited at the regulator',
    cmf_last_modified_date    Nullable(Date32)                      COMMENT 'When it was last modified there',
    fetched_at                Nullable(DateTime64(6, 'UTC'))        COMMENT 'When it was fetched',
    review_status             LowCardinality(String)                COMMENT 'pending, approved or rejected; empty when nobody reviewed',
    reviewed_at               Nullable(DateTime64(6, 'UTC'))        COMMENT 'When it was reviewed',
    reviewed_by               String                                COMMENT 'Who reviewed it; empty when not told',
    review_note               String                                COMMENT 'Note of the review; empty when none',
    has_evidence              Bool                                  COMMENT 'False: there is no clause, and the columns behind this one say nothing',
    evidence_text             String                                COMMENT 'The clause, on one line',
    evidence_page             Nullable(UInt32)                      COMMENT 'Page of the clause',
    evidence_offset           Nullable(UInt32)                      COMMENT 'Offset of the clause in the text, in characters',
    evidence_section          LowCardinality(String)                COMMENT '3.1 or 3.2 of the article; empty when not told',
    series_exception          Bool                                  COMMENT 'The clause holds for some series of the fund only',
    rule_id                   String                                COMMENT 'Rule that found the clause',
    parser_version            String                                COMMENT 'Version of what read the document',
    classifier_version        String                                COMMENT 'Version of what judged it',
    natural_key               FixedString(16) ALIAS sipHash128(run) COMMENT 'Hash of the natural key: run. Two rows of a file with the same hash are one fact'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, revision, source_sha256)
COMMENT 'What fund regulations declare about article 107 of the income tax law, every revision. Freshness depends on the day and is computed by the reader. Holds every revision: read batch_article107';

CREATE TABLE IF NOT EXISTS fact_benchmark ON CLUSTER 'replicas'
(
    family_rar       LowCardinality(String)                   COMMENT 'Family, as familia_rar writes it',
    symbol           LowCardinality(String)                   COMMENT 'Symbol of the instrument whose price stands for the index',
    revision         DateTime64(3, 'UTC')                     COMMENT 'When the source was published, else first seen',
    source_sha256    LowCardinality(String)                   COMMENT 'Hash of the raw file, hex',
    source_line      UInt32                                   COMMENT 'Line in the raw file, from 1',
    index_name       String                                   COMMENT 'Name of the index',
    instrument_name  String                                   COMMENT 'Name of the instrument; empty when the index itself is priced',
    native_currency  LowCardinality(String)                   COMMENT 'Currency of the prices: USD or CLP',
    asset_class      LowCardinality(String)                   COMMENT 'Asset class, as equity; empty when not told',
    active           Bool                                     COMMENT 'False: the family is no longer held against it',
    natural_key      FixedString(16) ALIAS sipHash128(family_rar, symbol) COMMENT 'Hash of the natural key: family_rar, symbol. Two rows of a file with the same hash are one fact'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (family_rar, symbol, revision, source_sha256)
COMMENT 'Catalogue of benchmarks: a family\'s index, every revision. Holds every revision: read batch_benchmark';

CREATE TABLE IF NOT EXISTS fact_benchmark_price ON CLUSTER 'replicas'
(
    symbol         LowCardinality(String)                   COMMENT 'Symbol of the instrument, as in fact_benchmark',
    date           Date                                     COMMENT 'Day of the price',
    revision       DateTime64(3, 'UTC')                     COMMENT 'When the source was published, else first seen',
    source_sha256  LowCardinality(String)                   COMMENT 'Hash of the raw file, hex',
    source_line    UInt32                                   COMMENT 'Line in the raw file, from 1',
    close          Decimal(18, 6)                           COMMENT 'Closing price in the native currency of the benchmark, unconverted',
    natural_key    FixedString(16) ALIAS sipHash128(symbol, date) COMMENT 'Hash of the natural key: symbol, date. Two rows of a file with the same hash are one fact'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (symbol, date, revision, source_sha256)
COMMENT 'Closing prices of benchmarks, every revision. Holds every revision: read batch_benchmark_price';

CREATE TABLE IF NOT EXISTS fact_discontinuity ON CLUSTER 'replicas'
(
    run              UInt32                                   COMMENT 'Fund RUN without check digit',
    serie            LowCardinality(String)                   COMMENT 'Series name',
    date             Date                                     COMMENT 'First day after the break: no return reaches over it',
    revision         DateTime64(3, 'UTC')                     COMMENT 'When the source was published, else first seen',
    source_sha256    LowCardinality(String)                   COMMENT 'Hash of the raw file, hex',
    source_line      UInt32                                   COMMENT 'Line in the raw file, from 1',
    note             String                                   COMMENT 'What happened',
    evidence_url     String                                   COMMENT 'Address of the document that proves the event',
    evidence_sha256  String                                   COMMENT 'Hash of that document, hex',
    natural_key      FixedString(16) ALIAS sipHash128(run, serie, date) COMMENT 'Hash of the natural key: run, serie, date. Two rows of a file with the same hash are one fact'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, serie, date, revision, source_sha256)
COMMENT 'Known breaks of series: known_discontinuity (RULES 1); every revision. Holds every revision: read batch_curated_discontinuity';

CREATE TABLE IF NOT EXISTS fact_end ON CLUSTER 'replicas'
(
    run              UInt32                                   COMMENT 'Fund RUN without check digit; 0: every fund',
    serie            LowCardinality(String)                   COMMENT 'Series name; empty: every series of the fund',
    ended_on         Date                                     COMMENT 'First day without a row; it holds for series that have no row on that day or later',
    revision         DateTime64(3, 'UTC')                     COMMENT 'When the source was published, else first seen',
    source_sha256    LowCardinality(String)                   COMMENT 'Hash of the raw file, hex',
    source_line      UInt32                                   COMMENT 'Line in the raw file, from 1',
    note             String                                   COMMENT 'What happened',
    evidence_url     String                                   COMMENT 'Address of the document that proves the event',
    evidence_sha256  String                                   COMMENT 'Hash of that document, hex',
    natural_key      FixedString(16) ALIAS sipHash128(run, serie, ended_on) COMMENT 'Hash of the natural key: a file is complete when as many keys of it have arrived as its manifest counts'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, serie, ended_on, revision, source_sha256)
COMMENT 'Ends of series, of funds and of the market, as persons state them; every revision. Holds every revision: read batch_series_end';

CREATE TABLE IF NOT EXISTS fact_exchange ON CLUSTER 'replicas'
(
    event_id           String                                   COMMENT 'Lasting name of the event',
    event_revision     UInt32                                   COMMENT 'Revision of the event, from 1: the highest is the event',
    revision           DateTime64(3, 'UTC')                     COMMENT 'When the source was published, else first seen',
    source_sha256      LowCardinality(String)                   COMMENT 'Hash of the raw file, hex',
    source_line        UInt32                                   COMMENT 'Line in the raw file, from 1',
    origin_run         UInt32                                   COMMENT 'RUN of the fund whose quotas are given up, without check digit',
    origin_serie       LowCardinality(String)                   COMMENT 'Series whose quotas are given up',
    destination_run    UInt32                                   COMMENT 'RUN of the fund whose quotas are received, without check digit',
    destination_serie  LowCardinality(String)                   COMMENT 'Series whose quotas are received',
    effective_date     Date                                     COMMENT 'First day on which the quotas are those of the destination',
    valuation_date     Date                                     COMMENT 'Day whose quota values the factor was computed from',
    factor             Decimal(18, 9)                           COMMENT 'Quotas of the destination for one of the origin',
    evidence_url       String                                   COMMENT 'Address of the document that proves the event',
    evidence_sha256    String                                   COMMENT 'Hash of that document, hex',
    natural_key        FixedString(16) ALIAS sipHash128(event_id, event_revision) COMMENT 'Hash of the natural key: event_id, event_revision. Two rows of a file with the same hash are one fact'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (event_id, event_revision, revision, source_sha256)
COMMENT 'Exchanges (canjes) of one series\' quotas for another\'s, every revision; followed forward only (RULES 1). Holds every revision: read batch_exchange';

CREATE TABLE IF NOT EXISTS fact_factor ON CLUSTER 'replicas'
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
    natural_key          FixedString(16) ALIAS sipHash128(run, serie, date, source_line) COMMENT 'Hash of the natural key: run, serie, date, source_line. Two rows of a file with the same hash are one fact'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, serie, date, revision, source_sha256, source_line)
COMMENT 'Verified factors, one row a calendar day, from which total returns are computed; every revision. Holds every revision: read factor_history_as_of';

CREATE TABLE IF NOT EXISTS fact_fund ON CLUSTER 'replicas'
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
    natural_key    FixedString(16) ALIAS sipHash128(run) COMMENT 'Hash of the natural key: run. Two rows of a file with the same hash are one fact'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, revision, source_sha256)
COMMENT 'Register of mutual funds, every revision. Holds every revision: read batch_fund';

CREATE TABLE IF NOT EXISTS fact_holding ON CLUSTER 'replicas'
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
    natural_key          FixedString(16) ALIAS sipHash128(run, month, market, position) COMMENT 'Hash of the natural key: run, month, market, position. Two rows of a file with the same hash are one fact'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
PARTITION BY toYear(month)
ORDER BY (run, month, market, revision, source_sha256, position)
COMMENT 'Portfolios at the close of a month. One file holds all positions of a (run, month, market), so the newest file replaces the others as a whole and positions of two files are never joined. Holds every revision: read batch_holding';

CREATE TABLE IF NOT EXISTS fact_indicator ON CLUSTER 'replicas'
(
    code           LowCardinality(String)                   COMMENT 'uf or dolar',
    date           Date                                     COMMENT 'Day of the value',
    revision       DateTime64(3, 'UTC')                     COMMENT 'When the source was published, else first seen',
    source_sha256  LowCardinality(String)                   COMMENT 'Hash of the raw file, hex',
    source_line    UInt32                                   COMMENT 'Line in the raw file, from 1',
    value          Decimal(18, 6)                           COMMENT 'CLP for one UF, or CLP for one US dollar (dólar observado)',
    natural_key    FixedString(16) ALIAS sipHash128(code, date) COMMENT 'Hash of the natural key: code, date. Two rows of a file with the same hash are one fact'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (code, date, revision, source_sha256)
COMMENT 'UF and dólar observado, every revision. Holds every revision: read batch_indicator';

CREATE TABLE IF NOT EXISTS fact_investment_fund ON CLUSTER 'replicas'
(
    run            UInt32                                COMMENT 'Fund RUN without check digit',
    revision       DateTime64(3, 'UTC')                  COMMENT 'When the register was published, else first seen',
    source_sha256  LowCardinality(String)                COMMENT 'Hash of the raw file, hex',
    source_line    UInt32                                COMMENT 'Line in the raw file, from 1',
    name           String                                COMMENT 'Registered name of the fund',
    manager        LowCardinality(String)                COMMENT 'Manager name as registered; the source has no RUT',
    kind           LowCardinality(String)                COMMENT 'FIRES: redeemable; FINRE: not redeemable; another word where the register has a new one',
    closed         Bool                                  COMMENT 'True: the register calls the fund no vigente; false: it calls it anything else or does not tell',
    natural_key    FixedString(16) ALIAS sipHash128(run) COMMENT 'Hash of the natural key: run. Two rows of a file with the same hash are one fact',
    state          LowCardinality(String)                COMMENT 'estado as written: vigente, no vigente, or another word; empty where the register has no such column'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, revision, source_sha256)
COMMENT 'Register of investment funds, every revision. Holds every revision: read batch_investment_fund';

CREATE TABLE IF NOT EXISTS fact_investment_value ON CLUSTER 'replicas'
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
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
PARTITION BY toYear(date)
ORDER BY (run, serie, date, revision, source_sha256, void)
SETTINGS index_granularity = 2048
COMMENT 'Daily book values of investment funds by series, every revision. Holds every revision: read batch_investment_value';

CREATE TABLE IF NOT EXISTS fact_monthly_tac ON CLUSTER 'replicas'
(
    date                Date                                     COMMENT 'Last day of the month that the figures are for',
    manager_words       LowCardinality(String)                   COMMENT 'Manager name reduced as cuota_words does: what the RUN is found by',
    fund_words          String                                   COMMENT 'Fund name reduced as cuota_words does: what the RUN is found by',
    serie               LowCardinality(String)                   COMMENT 'Series name, upper case; UNICA where the source leaves it blank',
    revision            DateTime64(3, 'UTC')                     COMMENT 'When the source was published, else first seen',
    source_sha256       LowCardinality(String)                   COMMENT 'Hash of the raw file, hex',
    source_line         UInt32                                   COMMENT 'Line in the raw file, from 1',
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
    natural_key         FixedString(16) ALIAS sipHash128(manager_words, fund_words, serie, date) COMMENT 'Hash of the natural key: manager_words, fund_words, serie, date. Two rows of a file with the same hash are one fact'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (manager_words, fund_words, serie, date, revision, source_sha256)
COMMENT 'The regulator\'s monthly cost sheet: real TAC by series and month, every revision. It has names and no RUN. Holds every revision: read batch_stated_tac';

CREATE TABLE IF NOT EXISTS fact_official_return ON CLUSTER 'replicas'
(
    run             UInt32                                   COMMENT 'Fund RUN without check digit',
    serie           LowCardinality(String)                   COMMENT 'Series name',
    date            Date                                     COMMENT 'Date of the comparator file',
    revision        DateTime64(3, 'UTC')                     COMMENT 'When the source was published, else first seen',
    source_sha256   LowCardinality(String)                   COMMENT 'Hash of the raw file, hex',
    source_line     UInt32                                   COMMENT 'Line in the raw file, from 1',
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
    natural_key     FixedString(16) ALIAS sipHash128(run, serie, date) COMMENT 'Hash of the natural key: run, serie, date. Two rows of a file with the same hash are one fact'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, serie, date, revision, source_sha256)
COMMENT 'The regulator\'s return comparator: families, investor class, spheres, official returns. Holds every revision: read series_official_return_as_of';

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
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
PARTITION BY toYear(date)
ORDER BY (run, serie, date, revision, source_sha256, void)
SETTINGS index_granularity = 2048
COMMENT 'Cartola rows: one series on one day, every revision. Holds every revision: read batch_quota';

CREATE TABLE IF NOT EXISTS fact_rename ON CLUSTER 'replicas'
(
    run                 UInt32                                   COMMENT 'Fund RUN without check digit',
    previous_serie      LowCardinality(String)                   COMMENT 'Name that the series gave up',
    revision            DateTime64(3, 'UTC')                     COMMENT 'When the source was published, else first seen',
    source_sha256       LowCardinality(String)                   COMMENT 'Hash of the raw file, hex',
    source_line         UInt32                                   COMMENT 'Line in the raw file, from 1',
    current_serie       LowCardinality(String)                   COMMENT 'Name that the series took',
    first_current_date  Date                                     COMMENT 'First day under the new name',
    evidence_url        String                                   COMMENT 'Address of the document that proves the event',
    evidence_sha256     String                                   COMMENT 'Hash of that document, hex',
    natural_key         FixedString(16) ALIAS sipHash128(run, previous_serie) COMMENT 'Hash of the natural key: run, previous_serie. Two rows of a file with the same hash are one fact'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, previous_serie, revision, source_sha256)
COMMENT 'Series that go on under another name, one identity under both (RULES 1); every revision. Holds every revision: read batch_rename';

CREATE TABLE IF NOT EXISTS fact_risk_free ON CLUSTER 'replicas'
(
    name             LowCardinality(String)                   COMMENT 'Name of the rate, told with each figure that uses it',
    date             Date                                     COMMENT 'Day from which the rate holds, until the next',
    revision         DateTime64(3, 'UTC')                     COMMENT 'When the source was published, else first seen',
    source_sha256    LowCardinality(String)                   COMMENT 'Hash of the raw file, hex',
    source_line      UInt32                                   COMMENT 'Line in the raw file, from 1',
    annual_percent   Decimal(18, 8)                           COMMENT 'Rate, percent a year: 5.25 is 5.25 %',
    evidence_url     String                                   COMMENT 'Address of the document that proves the rate',
    evidence_sha256  String                                   COMMENT 'Hash of that document, hex',
    natural_key      FixedString(16) ALIAS sipHash128(name, date) COMMENT 'Hash of the natural key: name, date. Two rows of a file with the same hash are one fact'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (name, date, revision, source_sha256)
COMMENT 'Risk-free rates that Sharpe and Sortino ratios are measured against (RULES 5); every revision';

CREATE TABLE IF NOT EXISTS fact_tac ON CLUSTER 'replicas'
(
    run             UInt32                                   COMMENT 'Fund RUN without check digit',
    serie           LowCardinality(String)                   COMMENT 'Series name',
    date            Date                                     COMMENT 'Month end that the figure is for',
    kind            LowCardinality(String)                   COMMENT 'synthetic: counts the costs of underlying funds; real: does not. Never mixed in one history (RULES 2)',
    revision        DateTime64(3, 'UTC')                     COMMENT 'When the source was published, else first seen',
    source_sha256   LowCardinality(String)                   COMMENT 'Hash of the raw file, hex',
    source_line     UInt32                                   COMMENT 'Line in the raw file, from 1',
    percent         Decimal(18, 8)                           COMMENT 'Annual cost rate, percent: 1.32 is 1.32 %',
    investor_class  LowCardinality(String)                   COMMENT 'Clase de inversionista that came with the rate: the dated TAC class',
    moneda          LowCardinality(String)                   COMMENT 'Currency as written: $$ pesos, PROM dollars; any other is unknown (RULES 6)',
    fund            String                                   COMMENT 'Fund name as the source writes it',
    manager         LowCardinality(String)                   COMMENT 'Manager name as the source writes it',
    serie_digital   LowCardinality(String)                   COMMENT 'serie_digital as written: 1, a digital series, or 0; another word where the source has a new one',
    equity_stated   Decimal(18, 8)                           COMMENT 'pat_total as stated: thousand millions of CLP or millions of USD',
    natural_key     FixedString(16) ALIAS sipHash128(run, serie, date, kind) COMMENT 'Hash of the natural key: run, serie, date, kind. Two rows of a file with the same hash are one fact'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, serie, date, kind, revision, source_sha256)
COMMENT 'Cost rates by series and month, every revision. Holds every revision: read batch_stated_tac';

CREATE TABLE IF NOT EXISTS fact_vehicle ON CLUSTER 'replicas'
(
    run              UInt32                                COMMENT 'Fund RUN without check digit',
    revision         DateTime64(3, 'UTC')                  COMMENT 'When the source was published, else first seen',
    source_sha256    LowCardinality(String)                COMMENT 'Hash of the raw file, hex',
    source_line      UInt32                                COMMENT 'Line in the raw file, from 1',
    is_etf           Bool                                  COMMENT 'The fund is exchange-traded; a fund without a row is unknown (RULES 11)',
    note             String                                COMMENT 'Remark; empty when none',
    evidence_url     String                                COMMENT 'Address of the document that proves the flag',
    evidence_sha256  String                                COMMENT 'Hash of that document, hex',
    natural_key      FixedString(16) ALIAS sipHash128(run) COMMENT 'Hash of the natural key: run. Two rows of a file with the same hash are one fact'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', source_line)
ORDER BY (run, revision, source_sha256)
COMMENT 'Which funds are exchange-traded, curated; every revision. Holds every revision: read batch_vehicle';

-- Files: what has arrived of each, what was rejected, and what ingest found in them.

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

CREATE TABLE IF NOT EXISTS rejected_row ON CLUSTER 'replicas'
(
    dataset        LowCardinality(String)                   COMMENT 'Dataset of the file',
    source_sha256  LowCardinality(String)                   COMMENT 'Hash of the raw file, hex',
    source_line    UInt32                                   COMMENT 'Line in the raw file, from 1',
    revision       DateTime64(3, 'UTC')                     COMMENT 'When the source was published, else first seen',
    file           String                                   COMMENT 'Base name of the file',
    reason         String                                   COMMENT 'What was wrong, for whoever mends the file',
    raw            String                                   COMMENT 'The row as it came, cut to 4 KiB',
    arrived_at     DateTime('UTC') DEFAULT toDateTime(revision, 'UTC') COMMENT 'When the row came last: of the rows of complete files the newest 100,000 are kept (outdated_reject)'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', revision)
ORDER BY (dataset, source_sha256, source_line)
COMMENT 'Rows that did not pass at ingest, the newest 100,000; nothing is dropped silently: manifest counts all of them';

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

-- The daily market has one row for each series and day, with its changes and how they compare with those
-- of its peers. It is the base of all-funds, market-summary, family indices and rankings, and is rebuilt
-- by complete days like series_day: market_day_version lists which batch built which day.

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
COMMENT 'What each series was classified as, and since when. Days before the first statement have the first one, with valid_from 1970-01-02 (RULES 7). Holds several batches: read current_classification';

CREATE TABLE IF NOT EXISTS market_day_version ON CLUSTER 'replicas'
(
    date   Date   COMMENT 'Day whose rows were built',
    build  UInt64 COMMENT 'Batch that built them'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY (date, build)
COMMENT 'Which batch built which day of market_day, candidate_day, family_day and manager_day, superseded ones too. Holds superseded days: read current_market_day, current_candidate_day, current_family_day or current_manager_day, which take the newest build of each day';

CREATE TABLE IF NOT EXISTS market_day ON CLUSTER 'replicas'
(
    date              Date                             COMMENT 'Day of the quote',
    series_id         UInt32                           COMMENT 'Series id (registry)',
    stands_until      Date DEFAULT date                COMMENT 'Last day on which the row stands for its series: that before the next row, before the fund ended or before its quotas were exchanged, and at most 7 days after its own',
    build             UInt64                           COMMENT 'Batch that built this day',
    manager_rut       UInt32                           COMMENT 'RUT of the manager that reported the day, without check digit; 0 when void',
    currency          LowCardinality(String)           COMMENT 'Accounting currency: PESOS, DOLAR, or as written where unknown; of a void row that of the quote before, at most 31 days older, else empty',
    price             Nullable(Decimal(18, 6))         COMMENT 'Valor cuota, series currency; null when void',
    equity            Nullable(Decimal(18, 4))         COMMENT 'Patrimonio neto, full units of the series currency',
    shareholders      Nullable(UInt32)                 COMMENT 'Partícipes',
    flow              Nullable(Float64)                COMMENT 'Net contribution that the row of the day states, quotas contributed less redeemed at the quota of the day, full units of the series currency: on the eve of days without business it is one half (business_flow)',
    previous_date     Nullable(Date)                   COMMENT 'Quote before, at most 7 days older; void rows are passed over (RULES 7)',
    previous_equity   Nullable(Decimal(18, 4))         COMMENT 'Equity on previous_date, full units: the opening equity of the day',
    daily_change      Nullable(Float64)                COMMENT 'Percent points from previous_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)',
    month_date        Nullable(Date)                   COMMENT 'Last quote at one month earlier or at most 7 days before; void rows are passed over (RULES 7)',
    month_equity      Nullable(Decimal(18, 4))         COMMENT 'Equity on month_date, full units: the opening equity of the month',
    monthly_change    Nullable(Float64)                COMMENT 'Percent points from month_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)',
    family_rar        LowCardinality(Nullable(String)) COMMENT 'familia_rar as of the day',
    family_display    LowCardinality(Nullable(String)) COMMENT 'familia_visualizador as of the day',
    category          LowCardinality(Nullable(String)) COMMENT 'Category as of the day (RULES 6)',
    classified_later  Bool                             COMMENT 'True: no classification is as old as the day; the first later one stands in (RULES 7)',
    restated Array(Tuple(
        since Date,
        family_rar String,
        family_display String,
        category String,
        classified_later Bool)) COMMENT 'Classifications that come into force while the row stands on later days, by the first of these days: family_rar, family_display and category, empty where they are not known, and classified_later from that day on. Nearly always empty',
    daily_outlier     LowCardinality(String)           COMMENT 'Why the daily change stays out of indices and rankings: cap or peers; empty when it does not (RULES 7)',
    monthly_outlier   LowCardinality(String)           COMMENT 'The same for the monthly change',
    spike             Bool                             COMMENT 'spikes or unspikes: the daily change stays out of index history (RULES 7)',
    spikes            Bool                             COMMENT 'The quote is a spike: a daily move of over 10 % of which at least 80 % came back with the next quote',
    unspikes          Bool                             COMMENT 'The quote before is a spike, from which this one comes back',
    business_flow     Nullable(Float64)                COMMENT 'Net contribution of the business day that begins on this day, full units of the series currency; null: none begins, or it is not complete',
    business_until    Nullable(Date)                   COMMENT 'Last calendar day of that business day; null where business_flow is',
    flow_reason       LowCardinality(String)           COMMENT 'Why business_flow is null: incomplete_business_day, or not_a_business_day where it is part of the one before; empty where it is known',
    PROJECTION by_series
    (
        SELECT
            series_id,
            date,
            build,
            currency,
            price,
            equity,
            shareholders,
            business_flow,
            business_until,
            flow_reason,
            previous_date,
            daily_change,
            daily_outlier,
            spike,
            month_date,
            monthly_change,
            monthly_outlier,
            family_rar,
            category,
            classified_later
        ORDER BY
            series_id,
            date,
            build
    ) WITH SETTINGS (index_granularity = 128)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYear(date)
ORDER BY (date, series_id, build)
SETTINGS index_granularity = 1024, lightweight_mutation_projection_mode = 'rebuild'
COMMENT 'One row per series and day: price, changes, equity, flows, classification, outliers. Holds superseded days: read current_market_day';

CREATE TABLE IF NOT EXISTS family_day ON CLUSTER 'replicas'
(
    date             Date                             COMMENT 'Day',
    family_rar       LowCardinality(String)           COMMENT 'familia_rar',
    currency         LowCardinality(String)           COMMENT 'PESOS or DOLAR',
    build            UInt64                           COMMENT 'Batch that built this day',
    family_display   LowCardinality(Nullable(String)) COMMENT 'familia_visualizador',
    previous_date    Nullable(Date)                   COMMENT 'Last day before on which the family was quoted in the currency, at most 7 days earlier; it need not be an index date (index_day). Null where none of its series is quoted that day',
    daily_return     Nullable(Float64)                COMMENT 'Mean change since previous_date of the eligible series, weighted by equity on previous_date, fraction; null without any',
    chained_return   Nullable(Float64)                COMMENT 'The same without one-day spikes: the step of the index where it chains to previous_date, fraction',
    eligible_series  UInt32                           COMMENT 'Series in daily_return',
    monthly_return   Nullable(Float64)                COMMENT 'Mean monthly change weighted by equity at its start, fraction; null without any',
    equity           Decimal(38, 4)                   COMMENT 'Equity of the rows that stand for its series that day, full units of currency',
    series           UInt32                           COMMENT 'Series for which a row with a quote stands that day, also those in no mean. Over all families and both currencies they are the classified series but those in any other currency',
    funds            UInt32                           COMMENT 'Their funds',
    quoted           UInt32 DEFAULT series            COMMENT 'Of the series, those with a quote on the very day'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYear(date)
ORDER BY (date, family_rar, currency, build)
COMMENT 'Each family in each currency on each day. Holds superseded days: read current_family_day';

CREATE TABLE IF NOT EXISTS family_long_step ON CLUSTER 'replicas'
(
    date           Date                   COMMENT 'Day to which the step leads',
    family_rar     LowCardinality(String) COMMENT 'familia_rar',
    currency       LowCardinality(String) COMMENT 'PESOS or DOLAR',
    build          UInt64                 COMMENT 'Batch that built this day',
    previous_date  Date                   COMMENT 'Day from which the step leads, at most 7 days earlier',
    changes Array(Tuple(
        series_id UInt32,
        equity Float64,
        change Float64,
        spike Bool)) COMMENT 'Series that count: equity on previous_date in full units of currency, change since then as a fraction, whether the quote of either day is a spike, which the index leaves out'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYear(date)
ORDER BY (date, family_rar, currency, previous_date, build)
COMMENT 'Steps of families over days between, where the next day on which the family was quoted gave its index no point. Most days have none (RULES 7). Holds superseded days: read current_family_long_step';

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
COMMENT 'Indices of families by day, and which days are index dates (RULES 7). Holds several batches: read current_index_day; the points alone: current_family_index';

CREATE TABLE IF NOT EXISTS manager_day ON CLUSTER 'replicas'
(
    date          Date                   COMMENT 'Day',
    manager_rut   UInt32                 COMMENT 'RUT of the manager, without check digit',
    currency      LowCardinality(String) COMMENT 'Accounting currency of the series',
    build         UInt64                 COMMENT 'Batch that built this day',
    equity        Decimal(38, 4)         COMMENT 'Equity of the rows that stand for its series that day, in that currency, full units of it',
    shareholders  UInt64                 COMMENT 'Partícipes, summed over series: not unique people',
    series        UInt32                 COMMENT 'Series for which a row with a quote stands that day',
    runs          Array(UInt32)          COMMENT 'RUNs of their funds, without check digit, ascending'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYear(date)
ORDER BY (date, manager_rut, currency, build)
COMMENT 'Each manager in each currency on each day. Holds superseded days: read current_manager_day';

CREATE TABLE IF NOT EXISTS flow_day ON CLUSTER 'replicas'
(
    date           Date                          COMMENT 'Day with a quote of any series',
    build          UInt64                        COMMENT 'Batch that built this day',
    series         UInt32                        COMMENT 'Series quoted on the day, also those that have closed since',
    daily_known    UInt32                        COMMENT 'Of these, those whose net contribution of the newest business day is known from rows up to the day',
    monthly_known  UInt32                        COMMENT 'Of these, those whose net contributions are known for every quote since one month earlier',
    opening        Array(LowCardinality(String)) COMMENT 'Currencies of which a business day begins on the day: most series with a flow have contributions',
    closing        Array(LowCardinality(String)) COMMENT 'Currencies of which a business day may end on the day: most series with a flow have redemptions'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYear(date)
ORDER BY (date, build)
COMMENT 'For how many series the net contributions of each day are known. Holds superseded days: read current_flow_day';

CREATE TABLE IF NOT EXISTS candidate_day ON CLUSTER 'replicas'
(
    date         Date          COMMENT 'Day with a row of any series',
    build        UInt64        COMMENT 'Batch that built this day',
    series_ids   Array(UInt32) COMMENT 'Series with a row that stands on the day, alive or closed, by ascending id (registry)',
    void_ids     Array(UInt32) COMMENT 'Those of them whose row is void: it was rejected, so it has no quote',
    dollar_ids   Array(UInt32) COMMENT 'Those of them in DOLAR',
    unknown_ids  Array(UInt32) COMMENT 'Those of them whose currency is neither PESOS nor DOLAR',
    earlier Array(Tuple(
        series_id UInt32,
        date Date)) COMMENT 'Those of them whose row is of an earlier day, with that day, at most 7 days before'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY (date, build)
SETTINGS index_granularity = 8
COMMENT 'The series with a row that stands on each day, void or not, as lists, from which backtests take their candidates (docs/backtests.md, section 3). Holds superseded days: read current_candidate_day';

-- Months. A closed month is one whose last day is on or before the cutoff. The monthly values of a series
-- are computed once, and copied from batch to batch until a day changes on which they depend. Costs and
-- risk are computed from months, not from days.

CREATE TABLE IF NOT EXISTS series_month_version ON CLUSTER 'replicas'
(
    batch  UInt64 COMMENT 'Batch',
    month  Date   COMMENT 'Last day of a closed month that this batch computed anew'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, month)
COMMENT 'Which months of series_month a batch computed anew; the others are those of the batch before. Holds several batches: read current_series_month';

CREATE TABLE IF NOT EXISTS series_month ON CLUSTER 'replicas'
(
    batch       UInt64                   COMMENT 'Batch',
    series_id   UInt32                   COMMENT 'Series id (registry)',
    month       Date                     COMMENT 'Last day of the closed month',
    quote_date  Nullable(Date)           COMMENT 'Day of the month-end quote: the last one of the month; null when it is invalid or over 7 days old (RULES 5)',
    equity      Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto on the last quoted day, at most 7 days old, full units of the series currency',
    growth      Nullable(Float64)        COMMENT 'This month-end quote as a multiple of the one before, accounting currency, factor-adjusted: 1.01 is a return of 1 %; null across a break (RULES 5)',
    peak        Nullable(Float64)        COMMENT 'Highest quote since the month-end quote before, as a multiple of it; null without growth',
    trough      Nullable(Float64)        COMMENT 'Lowest quote since the month-end quote before, as a multiple of it; null without growth',
    drawdown    Nullable(Float64)        COMMENT 'Deepest fall below an earlier quote since the month-end quote before, fraction, 0 or less; null without growth',
    cost_rate   Nullable(Float64)        COMMENT 'Mean of the daily TAC over cost_days, fraction a year (RULES 2); null without any',
    cost_days   UInt8                    COMMENT 'Days of the month with a daily TAC. With fewer than 15 the month has no computed rate (tac_month)'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id, month)
COMMENT 'What the daily quotes of each series come to in each closed month. Holds several batches: read current_series_month';

CREATE TABLE IF NOT EXISTS tac_month ON CLUSTER 'replicas'
(
    batch           UInt64                                   COMMENT 'Batch',
    series_id       UInt32                                   COMMENT 'Series id (registry)',
    month           Date                                     COMMENT 'Month end that the rate is for',
    kind            LowCardinality(String)                   COMMENT 'synthetic: counts the costs of underlying funds; real: does not (RULES 2)',
    source          LowCardinality(String)                   COMMENT 'stated: by a published file; computed: from the daily costs of the cartola. A month may have both',
    tac             Nullable(Float64)                        COMMENT 'Annual cost rate, fraction: 0.0132 is 1.32 %; null where the computed mean is no rate between 0 and 1',
    cost_days       UInt8                                    COMMENT 'Daily values in the mean of a computed rate: a month needs 15, else it has none; 0 when stated',
    investor_class  LowCardinality(Nullable(String))         COMMENT 'Investor class that came with a stated rate: the dated TAC class',
    tac_kind        LowCardinality(String) DEFAULT if(kind = 'synthetic', kind, source) COMMENT 'synthetic: stated, and counts the costs of underlying funds. stated, computed: the source of a rate that does not. Rates of different kinds do not compare',
    decimals        Nullable(UInt8)                          COMMENT 'Decimals that the percentages of the stating file are published with: as many as its finest, at least 2; null when computed. A difference below half of the last is rounding',
    dataset         LowCardinality(String)                   COMMENT 'Of a stated rate, the dataset of the file that states it: tac-comparator or tac-monthly; empty when computed',
    source_sha256   LowCardinality(String)                   COMMENT 'Hash of that raw file, hex; empty when computed',
    source_line     UInt32                                   COMMENT 'Line in that raw file, from 1; 0 when computed',
    revision        Nullable(DateTime64(3, 'UTC'))           COMMENT 'When that file was published, else first seen; null when computed'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id, month, kind)
COMMENT 'Cost rates of each series and month, one of each tac_kind. Holds several batches: read current_tac_month';

CREATE TABLE IF NOT EXISTS risk_month ON CLUSTER 'replicas'
(
    batch                      UInt64                           COMMENT 'Batch',
    series_id                  UInt32                           COMMENT 'Series id (registry)',
    month                      Date                             COMMENT 'Month end of the snapshot',
    volatility_monthly_12m     Nullable(Float64)                COMMENT 'Sample standard deviation of the last 12 monthly returns, fraction, adjusted by the factors that the cartola states; price returns (series_return) are not; null unless all are known',
    volatility_monthly_36m     Nullable(Float64)                COMMENT 'The same of 36',
    volatility_annualized_12m  Nullable(Float64)                COMMENT 'volatility_monthly_12m × √12',
    volatility_annualized_36m  Nullable(Float64)                COMMENT 'volatility_monthly_36m × √12',
    max_drawdown_36m           Nullable(Float64)                COMMENT 'Deepest fall below an earlier daily quote of the 36 months, fraction, 0 or less, adjusted by the factors that the cartola states; price returns (series_return) are not; null unless all 36 monthly returns are known',
    risk_score                 Nullable(UInt8)                  COMMENT '100 times the mean of two percentiles: of volatility_monthly_36m and of the depth of the drawdown, among the series of the month that have both, mutual funds and investment funds each among themselves. The percentile is the mid-rank: the share of series with a smaller value and half of the share of those with the same, itself included (RULES 5)',
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
COMMENT 'Risk snapshot of each series with a month-end quote, closed months only (RULES 5). Holds several batches: read current_risk_month';

-- Names. An id is given once and never again. A renamed series is one series: every name that it has
-- or had finds it, and its rows have the id of its newest name (RULES 1 and 12).

CREATE TABLE IF NOT EXISTS registry ON CLUSTER 'replicas'
(
    kind   LowCardinality(String) COMMENT 'manager, fund, series (of mutual funds) or fi_series (of investment funds): ids are unique inside a kind, and both kinds of series share one space',
    id     UInt32                 COMMENT 'CRC-32 of the key, or of key#1, key#2 … where that was taken (RULES 12)',
    key    String                 COMMENT 'agf:RUT, fund:RUN, series:RUN:SERIE or fi:RUN:SERIE, with check digits',
    run    UInt32                 COMMENT 'RUN of the fund or series, RUT of the manager, without check digit; 0 for a manager known by name alone',
    serie  String                 COMMENT 'Series name; empty for funds, normalised name for managers without RUT',
    batch  UInt64                 COMMENT 'Batch that first needed the id'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY (kind, id)
COMMENT 'Every id ever given out. Ids are never reused';

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
COMMENT 'Who manages each fund by the new cartolas of each batch. Holds several batches: read batch_manager';

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
COMMENT 'Every rename that the files of a batch state, corrections resolved, and whether it is applied. Holds several batches: read current_series_rename';

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
COMMENT 'The names of renamed series. Series that never changed their name have no row: see batch_series_name. Holds several batches: read current_series_label';

-- The windows of every series and the market summary of every day, so that a past date is read and not
-- computed. Windows are built by complete days, like series_day. A summary covers the series that are alive
-- at the cutoff, so its rows belong to a batch: a batch computes those on which something changed, and
-- copies the others from the batch before it.

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
    start_last_closed_month   Nullable(Date)                   COMMENT 'The same of return_last_closed_month',
    PROJECTION by_series
    (
        SELECT
            series_id,
            date,
            build,
            effective_end,
            currency,
            month_effective_end,
            month_currency,
            return_1m,
            return_3m,
            return_6m,
            return_1y,
            return_ytd,
            return_3y_ann,
            return_5y_ann,
            return_last_closed_month,
            reason_1m,
            reason_3m,
            reason_6m,
            reason_1y,
            reason_ytd,
            reason_3y_ann,
            reason_5y_ann,
            reason_last_closed_month,
            start_1m,
            start_3m,
            start_6m,
            start_1y,
            start_ytd,
            start_3y_ann,
            start_5y_ann,
            start_last_closed_month
        ORDER BY
            series_id,
            date,
            build
    ) WITH SETTINGS (index_granularity = 128)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYear(date)
ORDER BY (date, series_id, build)
SETTINGS index_granularity = 1024, lightweight_mutation_projection_mode = 'rebuild'
COMMENT 'Price returns of every series on every day, from its first quote until 38 days after its newest: later no window has a value. Holds superseded days: read current_return_day';

CREATE TABLE IF NOT EXISTS summary_day_version ON CLUSTER 'replicas'
(
    batch       UInt64                 COMMENT 'Number of the batch',
    date        Date                   COMMENT 'Day of which the batch computes something',
    whole       Bool                   COMMENT 'True: everything of the day, and family_rar is empty',
    family_rar  LowCardinality(String) COMMENT 'Otherwise the family that is computed; empty: the series without a family'
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

-- Projections of the present, which are written completely for each batch.

CREATE TABLE IF NOT EXISTS manager ON CLUSTER 'replicas'
(
    batch             UInt64           COMMENT 'Batch',
    manager_id        UInt32           COMMENT 'Manager id (registry)',
    rut               Nullable(String) COMMENT 'RUT with check digit; null where only the name is known',
    name              String           COMMENT 'Most recent name, upper case as the source, spaces collapsed',
    mutual_funds      UInt32           COMMENT 'Mutual funds in the register, open or closed, without exchange-traded ones',
    investment_funds  UInt32           COMMENT 'Investment funds in the register, redeemable or not, without exchange-traded ones',
    etfs              UInt32           COMMENT 'Exchange-traded funds of either register, by curated flag'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, manager_id)
COMMENT 'Managers (AGF). Holds several batches: read current_manager';

CREATE TABLE IF NOT EXISTS fund ON CLUSTER 'replicas'
(
    batch       UInt64                           COMMENT 'Batch',
    fund_id     UInt32                           COMMENT 'Fund id (registry), concept_id of the API',
    run         String                           COMMENT 'RUN with check digit',
    manager_id  UInt32                           COMMENT 'Manager id (registry); 0 where no source names one',
    manager     String                           COMMENT 'Name of the manager',
    vehicle     LowCardinality(String)           COMMENT 'etf by curated flag, whatever the register; else investment_fund or mutual_fund (RULES 11)',
    name        String                           COMMENT 'Registered name; else as the association\'s sheet has it; else the RUN',
    short_name  Nullable(String)                 COMMENT 'Nombre corto of the register',
    kind        Nullable(String)                 COMMENT 'Tipo de fondo mutuo 1 to 8; FIRES or FINRE for investment funds',
    category    LowCardinality(Nullable(String)) COMMENT 'Category of its series with most equity (RULES 6)',
    currency    LowCardinality(Nullable(String)) COMMENT 'Registered currency: PESOS, DOLAR or EUR; else that of its series with most equity',
    started     Nullable(Date32)                 COMMENT 'Start of operations',
    ended       Nullable(Date32)                 COMMENT 'End of operations; null while open',
    current     Bool                             COMMENT 'Open in the register at the cutoff; without a register entry: has a current series. Investment funds: the register does not call it no vigente'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, fund_id)
COMMENT 'Funds of every vehicle. Holds several batches: read current_fund';

CREATE TABLE IF NOT EXISTS series ON CLUSTER 'replicas'
(
    batch                UInt64                           COMMENT 'Batch',
    series_id            UInt32                           COMMENT 'Series id (registry), asset_id of the API',
    fund_id              UInt32                           COMMENT 'Fund id (registry)',
    run                  String                           COMMENT 'RUN with check digit',
    serie                String                           COMMENT 'Series name at the cutoff',
    currency             LowCardinality(Nullable(String)) COMMENT 'PESOS or DOLAR, of the last quote; null for any other',
    category             LowCardinality(Nullable(String)) COMMENT 'Category by family, else by association category; null while unclassified (RULES 6)',
    family_rar           LowCardinality(Nullable(String)) COMMENT 'familia_rar: the peer group',
    family_display       LowCardinality(Nullable(String)) COMMENT 'familia_visualizador',
    family_studies       LowCardinality(Nullable(String)) COMMENT 'familia_estudios',
    class_dated          LowCardinality(Nullable(String)) COMMENT 'Investor class of the newest classification file',
    classification_date  Nullable(Date)                   COMMENT 'Date of that file',
    class_tac            LowCardinality(Nullable(String)) COMMENT 'Investor class that came with the TAC',
    tac                  Nullable(Float64)                COMMENT 'Annual cost rate, fraction: 0.0132 is 1.32 % (RULES 2)',
    tac_kind             LowCardinality(Nullable(String)) COMMENT 'synthetic, stated or computed; null without a rate. Kinds do not compare: tac_month.tac_kind',
    tac_date             Nullable(Date)                   COMMENT 'Date of the TAC',
    spheres              Nullable(UInt8)                  COMMENT 'ind_rar_pond of the newest comparator, 1 to 5, 5 best',
    spheres_reason       LowCardinality(Nullable(String)) COMMENT 'Why there is none: source_unavailable, not_in_source, not_rated_by_cmf, no_complete_cutoff (RULES 3)',
    spheres_date         Nullable(Date)                   COMMENT 'Date of that comparator',
    spheres_loaded_at    Nullable(DateTime64(3, 'UTC'))   COMMENT 'Revision of that comparator',
    spheres_sha256       Nullable(String)                 COMMENT 'Hash of that comparator, hex',
    apv                  Nullable(Bool)                   COMMENT 'Series for voluntary pension saving, by the association\'s sheet',
    first_date           Date                             COMMENT 'First quote',
    last_date            Date                             COMMENT 'Last quote not after the cutoff',
    current              Bool                             COMMENT 'Quoted at least once, with a row within 7 days of the cutoff, and neither its fund ended nor its quotas exchanged nor its end stated by then',
    previous_serie       Nullable(String)                 COMMENT 'Name before the newest rename; null without a rename',
    current_serie        Nullable(String)                 COMMENT 'Name since the newest rename, which may lie after the cutoff; null without a rename',
    first_current_date   Nullable(Date)                   COMMENT 'First day under current_serie; null without a rename',
    alias_ids            Array(UInt32)                    COMMENT 'Ids that find the series, that of the newest name first; empty without a rename',
    last_family          LowCardinality(Nullable(String)) COMMENT 'familia_rar that the newest comparator file to name one gives the series, closed or not: what survivorship is studied by; null where none ever did',
    last_category        LowCardinality(Nullable(String)) COMMENT 'Category by the newest comparator file that gives one, else by the newest sheet of the association that does; null where none ever did'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id)
COMMENT 'Series of mutual funds that ever had a quote up to the cutoff. Holds several batches: read current_series';

CREATE TABLE IF NOT EXISTS series_latest ON CLUSTER 'replicas'
(
    batch            UInt64                   COMMENT 'Batch',
    series_id        UInt32                   COMMENT 'Series id (registry)',
    date             Date                     COMMENT 'Last quote not after the cutoff',
    quota            Nullable(Decimal(18, 6)) COMMENT 'Valor cuota, series currency; null when that row is void',
    equity           Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto, full units of the series currency',
    shareholders     Nullable(UInt32)         COMMENT 'Partícipes',
    previous_date    Nullable(Date)           COMMENT 'Quote before, at most 7 days older',
    previous_equity  Nullable(Decimal(18, 4)) COMMENT 'Equity on previous_date, full units of the series currency',
    daily_change     Nullable(Float64)        COMMENT 'Percent points from previous_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)',
    month_date       Nullable(Date)           COMMENT 'Quote at or at most 7 days before one month earlier',
    month_equity     Nullable(Decimal(18, 4)) COMMENT 'Equity on month_date, full units of the series currency',
    monthly_change   Nullable(Float64)        COMMENT 'Percent points from month_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id)
COMMENT 'Latest day of each series, with its changes. Holds several batches: read current_series_latest';

CREATE TABLE IF NOT EXISTS series_return ON CLUSTER 'replicas'
(
    batch            UInt64                           COMMENT 'Batch',
    series_id        UInt32                           COMMENT 'Series id (registry)',
    window           LowCardinality(String)           COMMENT '1m, 3m, 6m, 1y, ytd, 3y_ann, 5y_ann or last_closed_month',
    value            Nullable(Float64)                COMMENT 'Price return in accounting currency, fraction; 3y_ann and 5y_ann per year. Of the quotas alone: market_day.daily_change and monthly_change are adjusted by factors, this is not',
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
COMMENT 'Price returns in accounting currency, eight windows a series, at the cutoff. Holds several batches: read current_series_return';

CREATE TABLE IF NOT EXISTS screener ON CLUSTER 'replicas'
(
    batch                       UInt64                                   COMMENT 'Batch',
    series_id                   UInt32                                   COMMENT 'Series id (registry)',
    fund_id                     UInt32                                   COMMENT 'Fund id (registry)',
    run                         String                                   COMMENT 'RUN with check digit',
    serie                       String                                   COMMENT 'Series name at the cutoff',
    manager_id                  UInt32                                   COMMENT 'Manager id (registry)',
    manager                     String                                   COMMENT 'Name of the manager',
    fund                        String                                   COMMENT 'Name of the fund',
    category                    LowCardinality(Nullable(String))         COMMENT 'Category (RULES 6)',
    family_rar                  LowCardinality(Nullable(String))         COMMENT 'familia_rar: the peer group',
    family_display              LowCardinality(Nullable(String))         COMMENT 'familia_visualizador',
    family_studies              LowCardinality(Nullable(String))         COMMENT 'familia_estudios',
    class_dated                 LowCardinality(Nullable(String))         COMMENT 'Investor class of the newest classification file',
    classification_date         Nullable(Date)                           COMMENT 'Date of that file',
    class_tac                   LowCardinality(Nullable(String))         COMMENT 'Investor class that came with the TAC',
    currency                    LowCardinality(Nullable(String))         COMMENT 'Accounting currency: PESOS or DOLAR; null for any other',
    tac                         Nullable(Float64)                        COMMENT 'Annual cost rate, fraction',
    tac_kind                    LowCardinality(Nullable(String))         COMMENT 'synthetic, stated or computed, of tac; null without a rate. Kinds do not compare: tac_month.tac_kind',
    tac_date                    Nullable(Date)                           COMMENT 'Date of the TAC',
    price                       Nullable(Decimal(18, 6))                 COMMENT 'Valor cuota, series currency',
    price_date                  Date                                     COMMENT 'Date of the quota value',
    daily_change                Nullable(Float64)                        COMMENT 'Percent points from the quote before, adjusted by the factors that the cartola states; return_1m and the other price returns are not',
    monthly_change              Nullable(Float64)                        COMMENT 'Percent points from the quote of a month before, adjusted by the factors that the cartola states; return_1m is not, and differs where a distribution was paid',
    equity                      Nullable(Decimal(18, 4))                 COMMENT 'Patrimonio neto, full units of the series currency',
    previous_equity             Nullable(Decimal(18, 4))                 COMMENT 'Equity at the quote before, full units of the series currency',
    month_equity                Nullable(Decimal(18, 4))                 COMMENT 'Equity one month earlier, full units of the series currency',
    shareholders                Nullable(UInt32)                         COMMENT 'Partícipes',
    spheres                     Nullable(UInt8)                          COMMENT 'ind_rar_pond, 1 to 5, 5 best',
    spheres_reason              LowCardinality(Nullable(String))         COMMENT 'Why there is none (RULES 3)',
    spheres_date                Nullable(Date)                           COMMENT 'Date of the comparator',
    spheres_loaded_at           Nullable(DateTime64(3, 'UTC'))           COMMENT 'Revision of the comparator',
    spheres_sha256              Nullable(String)                         COMMENT 'Hash of the comparator, hex',
    return_1m                   Nullable(Float64)                        COMMENT 'Price return 1m, fraction, accounting currency: of the quotas alone. daily_change, monthly_change, volatility and drawdown are adjusted by factors, return_1m is not',
    return_3m                   Nullable(Float64)                        COMMENT 'Price return 3m, fraction, accounting currency',
    return_6m                   Nullable(Float64)                        COMMENT 'Price return 6m, fraction, accounting currency',
    return_1y                   Nullable(Float64)                        COMMENT 'Price return 1y, fraction, accounting currency',
    return_ytd                  Nullable(Float64)                        COMMENT 'Price return ytd, fraction, accounting currency',
    return_3y_ann               Nullable(Float64)                        COMMENT 'Price return 3y_ann, fraction, accounting currency',
    return_5y_ann               Nullable(Float64)                        COMMENT 'Price return 5y_ann, fraction, accounting currency',
    return_last_closed_month    Nullable(Float64)                        COMMENT 'Price return last_closed_month, fraction, accounting currency',
    currency_last_closed_month  LowCardinality(Nullable(String)) DEFAULT currency COMMENT 'Currency of return_last_closed_month, which the series may have left since; the other windows end in currency',
    reason_1m                   LowCardinality(Nullable(String))         COMMENT 'Why return_1m is null (RULES 1)',
    reason_3m                   LowCardinality(Nullable(String))         COMMENT 'Why return_3m is null (RULES 1)',
    reason_6m                   LowCardinality(Nullable(String))         COMMENT 'Why return_6m is null (RULES 1)',
    reason_1y                   LowCardinality(Nullable(String))         COMMENT 'Why return_1y is null (RULES 1)',
    reason_ytd                  LowCardinality(Nullable(String))         COMMENT 'Why return_ytd is null (RULES 1)',
    reason_3y_ann               LowCardinality(Nullable(String))         COMMENT 'Why return_3y_ann is null (RULES 1)',
    reason_5y_ann               LowCardinality(Nullable(String))         COMMENT 'Why return_5y_ann is null (RULES 1)',
    reason_last_closed_month    LowCardinality(Nullable(String))         COMMENT 'Why return_last_closed_month is null (RULES 1)',
    start_1m                    Nullable(Date)                           COMMENT 'Effective start of 1m',
    start_3m                    Nullable(Date)                           COMMENT 'Effective start of 3m',
    start_6m                    Nullable(Date)                           COMMENT 'Effective start of 6m',
    start_1y                    Nullable(Date)                           COMMENT 'Effective start of 1y',
    start_ytd                   Nullable(Date)                           COMMENT 'Effective start of ytd',
    start_3y_ann                Nullable(Date)                           COMMENT 'Effective start of 3y_ann',
    start_5y_ann                Nullable(Date)                           COMMENT 'Effective start of 5y_ann',
    start_last_closed_month     Nullable(Date)                           COMMENT 'Effective start of last_closed_month',
    end_1m                      Nullable(Date)                           COMMENT 'Effective end of 1m',
    end_3m                      Nullable(Date)                           COMMENT 'Effective end of 3m',
    end_6m                      Nullable(Date)                           COMMENT 'Effective end of 6m',
    end_1y                      Nullable(Date)                           COMMENT 'Effective end of 1y',
    end_ytd                     Nullable(Date)                           COMMENT 'Effective end of ytd',
    end_3y_ann                  Nullable(Date)                           COMMENT 'Effective end of 3y_ann',
    end_5y_ann                  Nullable(Date)                           COMMENT 'Effective end of 5y_ann',
    end_last_closed_month       Nullable(Date)                           COMMENT 'Effective end of last_closed_month',
    volatility_monthly_12m      Nullable(Float64)                        COMMENT 'Sample standard deviation of 12 monthly returns, fraction, adjusted by the factors that the cartola states; return_1m is not',
    volatility_monthly_36m      Nullable(Float64)                        COMMENT 'Sample standard deviation of 36 monthly returns, fraction, adjusted by the factors that the cartola states; return_1m is not',
    volatility_annualized_12m   Nullable(Float64)                        COMMENT 'volatility_monthly_12m × √12',
    volatility_annualized_36m   Nullable(Float64)                        COMMENT 'volatility_monthly_36m × √12',
    max_drawdown_36m            Nullable(Float64)                        COMMENT 'Deepest fall in 36 months of daily quotes, fraction, 0 or less, adjusted by the factors that the cartola states; return_1m is not',
    risk_score                  Nullable(UInt8)                          COMMENT '0 to 100 among the series of risk_date by mid-rank percentiles: risk_month.risk_score',
    risk_level                  LowCardinality(Nullable(String))         COMMENT 'low, medium or high',
    risk_date                   Nullable(Date)                           COMMENT 'Month end of the newest snapshot of the series; null without any',
    risk_method_version         LowCardinality(Nullable(String))         COMMENT 'Version of the risk rules; null without a snapshot',
    previous_serie              Nullable(String)                         COMMENT 'Name before the newest rename; null without a rename',
    current_serie               Nullable(String)                         COMMENT 'Name since the newest rename, which may lie after the cutoff; null without a rename',
    first_current_date          Nullable(Date)                           COMMENT 'First day under current_serie; null without a rename',
    alias_ids                   Array(UInt32)                            COMMENT 'Ids that find the series, that of the newest name first; empty without a rename'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY batch
ORDER BY (batch, series_id)
SETTINGS index_granularity = 1024
COMMENT 'One row per series alive at the cutoff: what the screener filters, sorts and shows. Holds several batches: read current_screener';

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
COMMENT 'Target dates of the windows of a batch, the same for every series. Holds several batches: read current_window_target';

CREATE TABLE IF NOT EXISTS fi_instrument ON CLUSTER 'replicas'
(
    batch              UInt64                           COMMENT 'Batch',
    instrument_id      UUID                             COMMENT 'Public id of the series, asset_id and instrument_id of the API; of a fund\'s own row that of the fund (cuota_fi_id)',
    series_id          Nullable(UInt32)                 COMMENT 'Series number (registry, fi_series), by which days, breaks, returns and risk know it; null in a fund\'s own row',
    listed             Bool                             COMMENT 'False: own row of a fund whose series are known; it is found by its id and never listed',
    fund_id            UInt32                           COMMENT 'Fund id (registry), concept_id of the API',
    run                String                           COMMENT 'RUN with check digit',
    serie              LowCardinality(Nullable(String)) COMMENT 'Series name; null in a fund\'s own row',
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
COMMENT 'Instruments of investment funds: their series, and one row for each fund itself. Holds several batches: read current_fi_instrument';

-- The version of these tables. A program that knows only older versions does not touch them.

CREATE TABLE IF NOT EXISTS schema_version ON CLUSTER 'replicas'
(
    version  UInt32               COMMENT 'Version of the schema',
    made_at  DateTime64(3, 'UTC') COMMENT 'When a program made the tables of this version'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
ORDER BY version
COMMENT 'Versions of the schema that the tables have had; the highest is theirs';

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
