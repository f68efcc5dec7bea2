CREATE TABLE batch
(
    `batch` UInt64 COMMENT 'Number of the batch',
    `batch_id` String COMMENT 'Public name of the batch: cutoff, number, start of the fingerprint',
    `as_of_date` Nullable(Date) COMMENT 'Cutoff: the latest complete date; null while no date is complete',
    `latest_complete_date` Nullable(Date) COMMENT 'Latest date on which the market was complete (RULES 1)',
    `last_quota_date` Nullable(Date) COMMENT 'Latest date with any quota value',
    `calculation_date` Date COMMENT 'Santiago day on which the batch was built',
    `calculated_at` DateTime64(3, 'UTC') COMMENT 'When the batch was built',
    `input_fingerprint` FixedString(64) COMMENT 'sha256 over the files of the batch and their revisions, hex',
    `method_version` LowCardinality(String) COMMENT 'Version of the return rules',
    `tolerance_days` UInt8 COMMENT 'Oldest quote that stands for a target date, calendar days',
    `series_count` UInt32 COMMENT 'Rows of the screener: series alive at the cutoff',
    `total_records` UInt64 COMMENT 'Facts of all datasets in the batch, corrections resolved',
    `rebuilt_days` UInt32 COMMENT 'Days of series_day that this batch built anew',
    `rules` LowCardinality(String) DEFAULT '' COMMENT 'sha256 over the statements that computed the batch, hex; empty where not noted',
    `noted` Bool DEFAULT false COMMENT 'True if the batch noted the rows of its tables (batch_table); false for batches of versions that did not'
)
ENGINE = MergeTree
ORDER BY batch
SETTINGS index_granularity = 8192
COMMENT 'Published batches. The highest number is the current one';
CREATE TABLE batch_attempt
(
    `batch` UInt64 COMMENT 'Number of the batch, published or not; never used twice',
    `started_at` DateTime64(3, 'UTC') COMMENT 'When building began',
    `claim` String DEFAULT '' COMMENT 'Who took the number: random, so that two that took the same one see it; empty in old rows'
)
ENGINE = MergeTree
ORDER BY batch
SETTINGS index_granularity = 8192
COMMENT 'Every batch that was begun';
CREATE TABLE batch_damage
(
    `batch` UInt64 COMMENT 'Published batch that is not answered from any more',
    `found_at` DateTime64(3, 'UTC') COMMENT 'When the damage was found',
    `table` LowCardinality(String) COMMENT 'Table that rows are missing from, or that has a part which can not be read',
    `reason` String COMMENT 'What is missing'
)
ENGINE = MergeTree
ORDER BY (batch, found_at)
SETTINGS index_granularity = 8192
COMMENT 'Damage that was found in stored tables. The batch that is built after the repair has no row here';
CREATE TABLE batch_failure
(
    `batch` UInt64 COMMENT 'Number of the batch that was not published',
    `failed_at` DateTime64(3, 'UTC') COMMENT 'When it was given up',
    `reason` String COMMENT 'The statement that failed, or the checks that the batch did not pass',
    `refused` Bool DEFAULT false COMMENT 'The batch was built and did not pass its checks: it is built again only once something new arrives. False for a batch that could not be built, and for failures noted before this column'
)
ENGINE = MergeTree
ORDER BY batch
SETTINGS index_granularity = 8192
COMMENT 'Batches that were begun and not published, and why. Readers pass over the builds of days and the lists of files that they left';
CREATE TABLE batch_progress
(
    `batch` UInt64 COMMENT 'Number of the batch that is being built',
    `noted_at` DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC') COMMENT 'When it was noted, at most once a second',
    `done` UInt16 COMMENT 'Projections that were done by then',
    `projections` UInt16 COMMENT 'Projections that the batch consists of'
)
ENGINE = MergeTree
ORDER BY (batch, noted_at)
TTL toDateTime(noted_at) + toIntervalDay(7)
SETTINGS index_granularity = 8192
COMMENT 'How far the projector is with a batch; kept for a week';
CREATE TABLE batch_source
(
    `batch` UInt64 COMMENT 'First batch that the file is part of; it stays part of all later ones',
    `dataset` LowCardinality(String) COMMENT 'Dataset of the file',
    `sha256` String COMMENT 'Hash of the raw file, hex',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen'
)
ENGINE = MergeTree
ORDER BY (batch, dataset, sha256)
SETTINGS index_granularity = 8192
COMMENT 'Which files a batch is made of: those of its own number and of all before. Holds several batches: read source_of';
CREATE TABLE batch_table
(
    `batch` UInt64 COMMENT 'Batch that wrote the rows; for a file, the first batch that read it',
    `table` LowCardinality(String) COMMENT 'Table that holds the rows',
    `piece` String COMMENT 'What the rows are of: a day (YYYY-MM-DD) in a table of days, a file (sha256) in a table of facts; empty: of the batch as a whole',
    `rows` UInt64 COMMENT 'Rows that the table held of the piece when the batch was published; a fact that arrived twice counts once'
)
ENGINE = MergeTree
ORDER BY (`table`, piece, batch)
SETTINGS index_granularity = 8192
COMMENT 'How many rows each table held when a batch was published: an inspection compares it with what is there';
CREATE TABLE classification
(
    `batch` UInt64 COMMENT 'Batch',
    `series_id` UInt32 COMMENT 'Series id (registry)',
    `source` LowCardinality(String) COMMENT 'comparator: families of the regulator; sheet: category of the association',
    `valid_from` Date COMMENT 'First day on which the statement counts; it holds until the next one of its source',
    `stated_on` Date COMMENT 'Date of the file that made the statement first',
    `family_rar` LowCardinality(Nullable(String)) COMMENT 'familia_rar: the peer group; null from the sheet',
    `family_display` LowCardinality(Nullable(String)) COMMENT 'familia_visualizador; null from the sheet',
    `category` LowCardinality(Nullable(String)) COMMENT 'Category by that statement (RULES 6); null while unclassified'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id, source, valid_from)
SETTINGS index_granularity = 8192
COMMENT 'What each series was classified as, and since when. Days before the first statement have the first one, with valid_from 1970-01-02 (RULES 7). Holds several batches: read current_classification';
CREATE TABLE command_done
(
    `id` String COMMENT 'Id of the command, as it stood in the control topic',
    `batch` UInt64 COMMENT 'Batch that it led to, published or refused',
    `done_at` DateTime64(3, 'UTC') COMMENT 'When that batch was published or refused',
    `failure` String DEFAULT '' COMMENT 'Why the batch was refused by its checks; empty: it was published'
)
ENGINE = MergeTree
ORDER BY id
SETTINGS index_granularity = 8192
COMMENT 'Commands to build that were carried out, so that a redelivered one is not carried out twice';
CREATE TABLE continuation
(
    `batch` UInt64 COMMENT 'Batch',
    `series_id` UInt32 COMMENT 'Series whose holdings go on elsewhere (registry)',
    `hop` UInt8 COMMENT 'Place of the exchange on the way, from 1; at most 6, of which the sixth is never followed',
    `origin_id` UInt32 COMMENT 'Series whose quotas are given up: series_id at the first hop, then the destination of the hop before',
    `destination_id` UInt32 COMMENT 'Series whose quotas are received; 0 where no file ever had a quote of it',
    `effective_date` Date COMMENT 'First day on which the quotas are those of the destination',
    `ambiguous_from` Nullable(Date) COMMENT 'First day on which a second exchange out of the origin is effective: from then on neither is followed; null where there is one',
    `flaw` LowCardinality(String) COMMENT 'Why the exchange is not followed: continuation_cycle, continuation_limit or invalid_continuation (RULES 1); empty where it is. The last hop where not empty',
    `event_id` String COMMENT 'Lasting name of the event',
    `event_revision` UInt32 COMMENT 'Revision of the event',
    `origin_run` String COMMENT 'RUN of the origin with check digit',
    `origin_serie` String COMMENT 'Series name of the origin',
    `destination_run` String COMMENT 'RUN of the destination with check digit',
    `destination_serie` String COMMENT 'Series name of the destination',
    `valuation_date` Date COMMENT 'Day whose quota values the factor was computed from',
    `factor` Decimal(18, 9) COMMENT 'Quotas of the destination for one of the origin',
    `evidence_url` String COMMENT 'Address of the document that proves the event',
    `evidence_sha256` String COMMENT 'Hash of that document, hex'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id, hop)
SETTINGS index_granularity = 8192
COMMENT 'How the holdings of exchanged series go on in others, forward only and at most five hops far (RULES 1). A window uses the hops that are effective by its end. Holds several batches: read current_continuation';
CREATE TABLE continued_history
(
    `batch` UInt64 COMMENT 'Batch',
    `series_id` UInt32 COMMENT 'Series whose holdings go on elsewhere (registry)',
    `quotes` Array(Tuple(
        part UInt8,
        date Date,
        quota Nullable(Decimal(18, 6)),
        currency String)) COMMENT 'Quotes by date: of part 0 until the series is exchanged, then of part 1, the destination of hop 1, and so on (continuation)',
    `breaks` Array(Tuple(
        part UInt8,
        date Date,
        kind String)) COMMENT 'Breaks inside that history as in series_break, but adjustments; those between two parts belong to the later one'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id)
SETTINGS index_granularity = 8192
COMMENT 'The histories of exchanged series, each joined with those that its holdings go on in (RULES 1). Holds several batches: read current_continued_history';
CREATE TABLE day
(
    `batch` UInt64 COMMENT 'Batch',
    `date` Date COMMENT 'Day with at least one row',
    `rows` UInt32 COMMENT 'Series with a row that day, void ones included',
    `series` UInt32 COMMENT 'Of these, with a quote',
    `prior_series` UInt32 COMMENT 'Series with a quote in the seven days before, or in the seven days up to the last day with any row',
    `present_series` UInt32 COMMENT 'Of these, with a row that day, void ones included: what was published and rejected has been reported',
    `void_series` UInt32 COMMENT 'Of the present series, those whose row of the day is void',
    `prior_equity_clp` Decimal(38, 4) COMMENT 'Equity of the prior series at their last quote before the day, CLP; dollars at the dólar observado of that quote\'s day or of at most 7 days before; others left out',
    `present_equity_clp` Decimal(38, 4) COMMENT 'Of this, held by the present series, CLP',
    `has_data` Bool DEFAULT complete COMMENT 'At least half of the prior series, and one series at all, have a quote that day: views of the market answer for it',
    `complete` Bool COMMENT 'The day has data, present is at least 98 % of prior series and 99 % of their equity, and void at most one series or 2 % of prior; the very first day is, with a quote (RULES 1)'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, date)
SETTINGS index_granularity = 8192
COMMENT 'How complete the market is on each day. Holds several batches: read current_day';
CREATE TABLE day_build
(
    `date` Date COMMENT 'Day whose rows were built',
    `build` UInt64 COMMENT 'Batch that built them'
)
ENGINE = MergeTree
ORDER BY (date, build)
SETTINGS index_granularity = 8192
COMMENT 'Which batch built which day of series_day, superseded ones too. Holds superseded days: read current_series_day, which takes the newest build of each day';
CREATE TABLE fact_article107
(
    `run` UInt32 COMMENT 'Fund RUN without check digit',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file of assessments, hex',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1',
    `status` LowCardinality(String) COMMENT 'declares_eligible, declares_not_eligible or unknown: what the regulation declares, not advice (RULES 10)',
    `status_reason` String COMMENT 'Why the status is what it is; empty when not told',
    `assessed_at` Nullable(DateTime64(6, 'UTC')) COMMENT 'When an assessment last succeeded',
    `updated_at` Nullable(DateTime64(6, 'UTC')) COMMENT 'When the assessment was last looked at',
    `cmf_document_id` String COMMENT 'The regulator\'s id of the regulation that was assessed; empty when none',
    `observed_cmf_document_id` String COMMENT 'Id of the regulation last seen at the regulator; another one than the assessed makes the assessment stale',
    `document_url` String COMMENT 'Address of the regulation; empty when not told',
    `document_sha256` String COMMENT 'Hash of the regulation, hex; empty when not told',
    `cmf_deposit_date` Nullable(Date32) COMMENT 'When the regulation was deposited at the regulator',
    `cmf_last_modified_date` Nullable(Date32) COMMENT 'When it was last modified there',
    `fetched_at` Nullable(DateTime64(6, 'UTC')) COMMENT 'When it was fetched',
    `review_status` LowCardinality(String) COMMENT 'pending, approved or rejected; empty when nobody reviewed',
    `reviewed_at` Nullable(DateTime64(6, 'UTC')) COMMENT 'When it was reviewed',
    `reviewed_by` String COMMENT 'Who reviewed it; empty when not told',
    `review_note` String COMMENT 'Note of the review; empty when none',
    `has_evidence` Bool COMMENT 'False: there is no clause, and the columns behind this one say nothing',
    `evidence_text` String COMMENT 'The clause, on one line',
    `evidence_page` Nullable(UInt32) COMMENT 'Page of the clause',
    `evidence_offset` Nullable(UInt32) COMMENT 'Offset of the clause in the text, in characters',
    `evidence_section` LowCardinality(String) COMMENT '3.1 or 3.2 of the article; empty when not told',
    `series_exception` Bool COMMENT 'The clause holds for some series of the fund only',
    `rule_id` String COMMENT 'Rule that found the clause',
    `parser_version` String COMMENT 'Version of what read the document',
    `classifier_version` String COMMENT 'Version of what judged it'
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, revision, source_sha256)
SETTINGS index_granularity = 8192
COMMENT 'What fund regulations declare about article 107 of the income tax law, every revision. Freshness depends on the day and is computed by the reader. Holds every revision: read article107_of';
CREATE TABLE fact_benchmark
(
    `family_rar` LowCardinality(String) COMMENT 'Family, as familia_rar writes it',
    `symbol` LowCardinality(String) COMMENT 'Symbol of the instrument whose price stands for the index',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1',
    `index_name` String COMMENT 'Name of the index',
    `instrument_name` String COMMENT 'Name of the instrument; empty when the index itself is priced',
    `native_currency` LowCardinality(String) COMMENT 'Currency of the prices: USD or CLP',
    `asset_class` LowCardinality(String) COMMENT 'Asset class, as equity; empty when not told',
    `active` Bool COMMENT 'False: the family is no longer held against it'
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (family_rar, symbol, revision, source_sha256)
SETTINGS index_granularity = 8192
COMMENT 'Catalogue of benchmarks: a family\'s index, every revision. Holds every revision: read benchmark_of';
CREATE TABLE fact_benchmark_price
(
    `symbol` LowCardinality(String) COMMENT 'Symbol of the instrument, as in fact_benchmark',
    `date` Date COMMENT 'Day of the price',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1',
    `close` Decimal(18, 6) COMMENT 'Closing price in the native currency of the benchmark, unconverted'
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (symbol, date, revision, source_sha256)
SETTINGS index_granularity = 8192
COMMENT 'Closing prices of benchmarks, every revision. Holds every revision: read benchmark_price_of';
CREATE TABLE fact_discontinuity
(
    `run` UInt32 COMMENT 'Fund RUN without check digit',
    `serie` LowCardinality(String) COMMENT 'Series name',
    `date` Date COMMENT 'First day after the break: no return reaches over it',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1',
    `note` String COMMENT 'What happened',
    `evidence_url` String COMMENT 'Address of the document that proves the event',
    `evidence_sha256` String COMMENT 'Hash of that document, hex'
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, serie, date, revision, source_sha256)
SETTINGS index_granularity = 8192
COMMENT 'Known breaks of series: known_discontinuity (RULES 1); every revision. Holds every revision: read discontinuity_of';
CREATE TABLE fact_exchange
(
    `event_id` String COMMENT 'Lasting name of the event',
    `event_revision` UInt32 COMMENT 'Revision of the event, from 1: the highest is the event',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1',
    `origin_run` UInt32 COMMENT 'RUN of the fund whose quotas are given up, without check digit',
    `origin_serie` LowCardinality(String) COMMENT 'Series whose quotas are given up',
    `destination_run` UInt32 COMMENT 'RUN of the fund whose quotas are received, without check digit',
    `destination_serie` LowCardinality(String) COMMENT 'Series whose quotas are received',
    `effective_date` Date COMMENT 'First day on which the quotas are those of the destination',
    `valuation_date` Date COMMENT 'Day whose quota values the factor was computed from',
    `factor` Decimal(18, 9) COMMENT 'Quotas of the destination for one of the origin',
    `evidence_url` String COMMENT 'Address of the document that proves the event',
    `evidence_sha256` String COMMENT 'Hash of that document, hex'
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (event_id, event_revision, revision, source_sha256)
SETTINGS index_granularity = 8192
COMMENT 'Exchanges (canjes) of one series\' quotas for another\'s, every revision; followed forward only (RULES 1). Holds every revision: read exchange_of';
CREATE TABLE fact_factor
(
    `run` UInt32 COMMENT 'Fund RUN without check digit',
    `serie` LowCardinality(String) COMMENT 'Series name',
    `date` Date COMMENT 'Day that the factors hold for',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1; two lines of the current file for one day are a duplicate_factor_date (RULES 1)',
    `distribution_factor` Decimal(18, 9) COMMENT 'Factor de reparto, verified: (quota + payment) / quota; 1 when nothing was paid',
    `adjustment_factor` Decimal(18, 9) COMMENT 'Factor de ajuste, verified: change of the quota\'s unit; 1 when none',
    `quota` Decimal(18, 6) COMMENT 'Valor cuota that the factors belong to; must equal ours (RULES 1)',
    `currency` LowCardinality(String) COMMENT 'PESOS or DOLAR',
    `evidence_url` String COMMENT 'Address of the document that proves the row',
    `evidence_sha256` String COMMENT 'Hash of that document, hex'
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, serie, date, revision, source_sha256, source_line)
SETTINGS index_granularity = 8192
COMMENT 'Verified factors, one row a calendar day, from which total returns are computed; every revision. Holds every revision: read factor_history_of';
CREATE TABLE fact_fund
(
    `run` UInt32 COMMENT 'Fund RUN without check digit',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the register was published, else first seen',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1',
    `manager_rut` UInt32 COMMENT 'Manager (AGF) RUT without check digit',
    `manager` LowCardinality(String) COMMENT 'Manager name as registered, spaces collapsed',
    `name` String COMMENT 'Registered name of the fund',
    `short_name` String COMMENT 'Nombre corto',
    `approved` Nullable(Date32) COMMENT 'Date of the resolution that approved its rules',
    `resolution` String COMMENT 'Number of that resolution',
    `kind` UInt8 COMMENT 'Tipo de fondo mutuo, 1 to 8',
    `started` Nullable(Date32) COMMENT 'Start of operations',
    `ended` Nullable(Date32) COMMENT 'End of operations; null while open',
    `moneda` LowCardinality(String) COMMENT 'Currency as written: $$ pesos, PROM dollars, EUR'
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, revision, source_sha256)
SETTINGS index_granularity = 8192
COMMENT 'Register of mutual funds, every revision. Holds every revision: read fund_of';
CREATE TABLE fact_holding
(
    `run` UInt32 COMMENT 'Fund RUN without check digit',
    `month` Date COMMENT 'Last day of the month at whose close the position was held',
    `market` LowCardinality(String) COMMENT 'N nacional, E extranjera; of investment funds also M participation method, B real estate, O options, F futures (RULES 9)',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    `position` UInt32 COMMENT 'Place among the rows that the file has of the fund and market, from 1: two lots of one instrument are two positions',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1',
    `nemotecnico` String COMMENT 'Nemotécnico of the instrument; empty when none',
    `issuer` String COMMENT 'Name of the issuer; empty where the source names it by RUT alone',
    `issuer_rut` UInt32 COMMENT 'RUT of the issuer without check digit; 0 when none',
    `country` LowCardinality(String) COMMENT 'Country of the issuer as written, two letters',
    `instrument` LowCardinality(String) COMMENT 'Tipo de instrumento, code as written',
    `units` Nullable(Decimal(18, 6)) COMMENT 'Units held; null where not stated',
    `valuation_thousands` Nullable(Decimal(18, 4)) COMMENT 'Valorización al cierre, thousands of the fund\'s currency; null where not stated',
    `percent` Nullable(Decimal(18, 8)) COMMENT 'Share of the fund\'s assets, percent: 29.824 is 29.824 %',
    `moneda` LowCardinality(String) COMMENT 'Currency of settlement as written, not that of the valuation; empty where not stated'
)
ENGINE = ReplacingMergeTree(source_line)
PARTITION BY toYear(month)
ORDER BY (run, month, market, revision, source_sha256, position)
SETTINGS index_granularity = 8192
COMMENT 'Portfolios at the close of a month. One file holds all positions of a (run, month, market), so the newest file replaces the others as a whole and positions of two files are never joined. Holds every revision: read holding_of';
CREATE TABLE fact_indicator
(
    `code` LowCardinality(String) COMMENT 'uf or dolar',
    `date` Date COMMENT 'Day of the value',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1',
    `value` Decimal(18, 6) COMMENT 'CLP for one UF, or CLP for one US dollar (dólar observado)'
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (code, date, revision, source_sha256)
SETTINGS index_granularity = 8192
COMMENT 'UF and dólar observado, every revision. Holds every revision: read indicator_of';
CREATE TABLE fact_investment_fund
(
    `run` UInt32 COMMENT 'Fund RUN without check digit',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the register was published, else first seen',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1',
    `name` String COMMENT 'Registered name of the fund',
    `manager` LowCardinality(String) COMMENT 'Manager name as registered; the source has no RUT',
    `kind` LowCardinality(String) COMMENT 'FIRES: redeemable; FINRE: not redeemable',
    `closed` Bool COMMENT 'True: the register calls the fund no vigente; false: it calls it vigente, or lists it without a word'
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, revision, source_sha256)
SETTINGS index_granularity = 8192
COMMENT 'Register of investment funds, every revision. Holds every revision: read investment_fund_of';
CREATE TABLE fact_investment_value
(
    `run` UInt32 COMMENT 'Fund RUN without check digit',
    `serie` LowCardinality(String) COMMENT 'Series name, upper case; UNICA where the source leaves it blank',
    `date` Date COMMENT 'Day of the values',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    `void` Bool COMMENT 'True: the row was rejected at ingest but its day is known; amounts are null and the value counts as invalid (RULES 1)',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1; of a web page the row among its table rows',
    `moneda` LowCardinality(String) COMMENT 'Currency as written: $$, CLP or PESOS; PROM, USD or DOLAR; EUR',
    `book_value` Nullable(Decimal(18, 6)) COMMENT 'Valor libro of one quota, in the series currency; never a market price (RULES 11)',
    `economic_value` Nullable(Decimal(18, 6)) COMMENT 'Valor económico of one quota, in the series currency; null where not appraised',
    `equity` Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto, in the series currency',
    `total_assets` Nullable(Decimal(18, 4)) COMMENT 'Activo total, in the series currency',
    `contributors` Nullable(UInt32) COMMENT 'Número de aportantes',
    `institutional` Nullable(UInt32) COMMENT 'Of these, institutional',
    `agency` String COMMENT 'Agencia as written; empty when none'
)
ENGINE = ReplacingMergeTree(source_line)
PARTITION BY toYear(date)
ORDER BY (run, serie, date, revision, source_sha256, void)
SETTINGS index_granularity = 2048
COMMENT 'Daily book values of investment funds by series, every revision. Holds every revision: read investment_value_of';
CREATE TABLE fact_monthly_tac
(
    `date` Date COMMENT 'Last day of the month that the figures are for',
    `manager_words` LowCardinality(String) COMMENT 'Manager name reduced as cuota_words does: what the RUN is found by',
    `fund_words` String COMMENT 'Fund name reduced as cuota_words does: what the RUN is found by',
    `serie` LowCardinality(String) COMMENT 'Series name, upper case; UNICA where the source leaves it blank',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1',
    `manager` LowCardinality(String) COMMENT 'Manager name as the sheet writes it, its letters repaired',
    `fund` String COMMENT 'Fund name as the sheet writes it, its letters repaired and the mark of a footnote cut',
    `fund_type` LowCardinality(String) COMMENT 'Tipo de fondo as written',
    `moneda` LowCardinality(String) COMMENT 'Currency as written',
    `features` String COMMENT 'Características of the series',
    `fixed_fee` String COMMENT 'Remuneración fija that the rules of the fund allow, as worded there',
    `variable_fee` String COMMENT 'Remuneración variable that the rules allow, as worded there',
    `operating_expenses` String COMMENT 'Gastos de operación that the rules allow, as worded there',
    `fixed_percent` Nullable(Decimal(18, 8)) COMMENT 'Part of the TAC that is fixed remuneration, percent a year; null where the sheet says NA',
    `variable_percent` Nullable(Decimal(18, 8)) COMMENT 'Part of the TAC that is variable remuneration, percent a year',
    `expenses_percent` Nullable(Decimal(18, 8)) COMMENT 'Part of the TAC that is operating expenses, percent a year',
    `total_percent` Nullable(Decimal(18, 8)) COMMENT 'Real TAC, percent a year: 1.32 is 1.32 %; 0 is a real value. Never mixed with the synthetic one (RULES 2)',
    `placement_terms` String COMMENT 'Conditions of the commission on subscription, as worded',
    `placement_fee` String COMMENT 'Commission on subscription, as worded',
    `deferred_terms` String COMMENT 'Conditions of the deferred commission, as worded',
    `deferred_fee` String COMMENT 'Deferred commission, as worded'
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (manager_words, fund_words, serie, date, revision, source_sha256)
SETTINGS index_granularity = 8192
COMMENT 'The regulator\'s monthly cost sheet: real TAC by series and month, every revision. It has names and no RUN. Holds every revision: read tac_stated_of';
CREATE TABLE fact_official_return
(
    `run` UInt32 COMMENT 'Fund RUN without check digit',
    `serie` LowCardinality(String) COMMENT 'Series name',
    `date` Date COMMENT 'Date of the comparator file',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1',
    `family_rar` LowCardinality(String) COMMENT 'familia_rar: the finest family, the peer group of the spheres',
    `family_display` LowCardinality(String) COMMENT 'familia_visualizador',
    `family_studies` LowCardinality(String) COMMENT 'familia_estudios, the coarsest family',
    `investor_class` LowCardinality(String) COMMENT 'clase_inversionista',
    `fund` String COMMENT 'Fund name as the source writes it',
    `manager` LowCardinality(String) COMMENT 'Manager name as the source writes it',
    `digital` Bool COMMENT 'serie_digital flag',
    `spheres` UInt8 COMMENT 'ind_rar_pond: 1 to 5, 5 best; 0 when the regulator gave none',
    `nominal_1y` Nullable(Decimal(18, 8)) COMMENT 'Nominal return of 1 year, percent',
    `real_1y` Nullable(Decimal(18, 8)) COMMENT 'Real return of 1 year, percent',
    `nominal_3y` Nullable(Decimal(18, 8)) COMMENT 'Nominal return of 3 years, annualised, percent',
    `real_3y` Nullable(Decimal(18, 8)) COMMENT 'Real return of 3 years, annualised, percent',
    `nominal_5y` Nullable(Decimal(18, 8)) COMMENT 'Nominal return of 5 years, annualised, percent',
    `real_5y` Nullable(Decimal(18, 8)) COMMENT 'Real return of 5 years, annualised, percent',
    `nominal_10y` Nullable(Decimal(18, 8)) COMMENT 'Nominal return of 10 years, annualised, percent',
    `real_10y` Nullable(Decimal(18, 8)) COMMENT 'Real return of 10 years, annualised, percent'
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, serie, date, revision, source_sha256)
SETTINGS index_granularity = 8192
COMMENT 'The regulator\'s return comparator: families, investor class, spheres, official returns. Holds every revision: read official_return_of';
CREATE TABLE fact_quota
(
    `run` UInt32 COMMENT 'Fund RUN without check digit',
    `serie` LowCardinality(String) COMMENT 'Series name, upper case; UNICA where the source leaves it blank',
    `date` Date COMMENT 'Day of the quota value',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    `void` Bool COMMENT 'True: the row was rejected at ingest but its day is known; amounts are null and the quota counts as invalid (RULES 1)',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1',
    `manager_rut` UInt32 COMMENT 'Manager (AGF) RUT without check digit; 0 when void',
    `manager` LowCardinality(String) COMMENT 'Manager name as the cartola writes it, spaces collapsed',
    `moneda` LowCardinality(String) COMMENT 'Currency as written: $$ pesos, PROM dollars, EUR',
    `quota` Nullable(Decimal(18, 6)) COMMENT 'Valor cuota, in the series currency',
    `equity` Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto of the series, in its currency',
    `total_assets` Nullable(Decimal(18, 4)) COMMENT 'Activo total of the whole fund, repeated on each series, in its currency',
    `units_outstanding` Nullable(Decimal(18, 4)) COMMENT 'Cuotas en circulación, in quotas',
    `units_contributed` Nullable(Decimal(18, 4)) COMMENT 'Cuotas aportadas that day, in quotas',
    `units_redeemed` Nullable(Decimal(18, 4)) COMMENT 'Cuotas rescatadas that day, in quotas',
    `shareholders` Nullable(UInt32) COMMENT 'Número de partícipes',
    `institutional` Nullable(UInt32) COMMENT 'Of these, institutional',
    `institutional_fund` Bool COMMENT 'PARTICIPES_INST flag of the fund',
    `pension_fund` Bool COMMENT 'FONDO_PEN flag of the series',
    `invests_in_funds` Bool COMMENT 'INVERSION_EN_FONDOS flag of the fund',
    `fixed_fee` Nullable(Decimal(18, 4)) COMMENT 'Remuneración fija of the day, in the series currency',
    `variable_fee` Nullable(Decimal(18, 4)) COMMENT 'Remuneración variable of the day, in the series currency',
    `affected_expenses` Nullable(Decimal(18, 4)) COMMENT 'Gastos afectos of the day, in the series currency',
    `unaffected_expenses` Nullable(Decimal(18, 4)) COMMENT 'Gastos no afectos of the day, in the series currency',
    `subscription_fee` Nullable(Decimal(18, 4)) COMMENT 'Comisión de inversión of the day, in the series currency',
    `redemption_fee` Nullable(Decimal(18, 4)) COMMENT 'Comisión de rescate of the day, in the series currency',
    `adjustment_factor` Nullable(Decimal(18, 9)) COMMENT 'Factor de ajuste; null where none is stated, which means 1',
    `distribution_factor` Nullable(Decimal(18, 9)) COMMENT 'Factor de reparto; null where none is stated, which means 1'
)
ENGINE = ReplacingMergeTree(source_line)
PARTITION BY toYear(date)
ORDER BY (run, serie, date, revision, source_sha256, void)
SETTINGS index_granularity = 2048
COMMENT 'Cartola rows: one series on one day, every revision. Holds every revision: read quota_of';
CREATE TABLE fact_rename
(
    `run` UInt32 COMMENT 'Fund RUN without check digit',
    `previous_serie` LowCardinality(String) COMMENT 'Name that the series gave up',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1',
    `current_serie` LowCardinality(String) COMMENT 'Name that the series took',
    `first_current_date` Date COMMENT 'First day under the new name',
    `evidence_url` String COMMENT 'Address of the document that proves the event',
    `evidence_sha256` String COMMENT 'Hash of that document, hex'
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, previous_serie, revision, source_sha256)
SETTINGS index_granularity = 8192
COMMENT 'Series that go on under another name, one identity under both (RULES 1); every revision. Holds every revision: read rename_of';
CREATE TABLE fact_risk_free
(
    `name` LowCardinality(String) COMMENT 'Name of the rate, told with each figure that uses it',
    `date` Date COMMENT 'Day from which the rate holds, until the next',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1',
    `annual_percent` Decimal(18, 8) COMMENT 'Rate, percent a year: 5.25 is 5.25 %',
    `evidence_url` String COMMENT 'Address of the document that proves the rate',
    `evidence_sha256` String COMMENT 'Hash of that document, hex'
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (name, date, revision, source_sha256)
SETTINGS index_granularity = 8192
COMMENT 'Risk-free rates that Sharpe and Sortino ratios are measured against (RULES 5); every revision';
CREATE TABLE fact_sheet
(
    `run` UInt32 COMMENT 'Fund RUN without check digit',
    `serie` LowCardinality(String) COMMENT 'Series name, cut to 12 characters by the source',
    `date` Date COMMENT 'Day of the sheet',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the sheet was published, else first seen',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1',
    `manager` LowCardinality(String) COMMENT 'Manager name as the sheet writes it',
    `fund` String COMMENT 'Fund name as the sheet writes it',
    `bloomberg` String COMMENT 'Bloomberg code; empty when none',
    `category` LowCardinality(String) COMMENT 'AAFM category; empty when none',
    `apv` Bool COMMENT 'serie_apv: series for voluntary pension saving',
    `currency` LowCardinality(String) COMMENT 'PESOS or DOLAR; empty when the fund did not report',
    `equity_clp` Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto as stated, CLP',
    `quota` Nullable(Decimal(18, 6)) COMMENT 'Valor cuota, in the series currency',
    `units_outstanding` Nullable(Decimal(18, 4)) COMMENT 'Cuotas en circulación, in quotas',
    `units_contributed` Nullable(Decimal(18, 4)) COMMENT 'Cuotas aportadas that day, in quotas',
    `units_redeemed` Nullable(Decimal(18, 4)) COMMENT 'Cuotas rescatadas that day, in quotas',
    `shareholders` Nullable(UInt32) COMMENT 'Partícipes'
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, serie, date, revision, source_sha256)
SETTINGS index_granularity = 8192
COMMENT 'Daily sheet of the mutual-fund association, every revision. Holds every revision: read sheet_of';
CREATE TABLE fact_tac
(
    `run` UInt32 COMMENT 'Fund RUN without check digit',
    `serie` LowCardinality(String) COMMENT 'Series name',
    `date` Date COMMENT 'Month end that the figure is for',
    `kind` LowCardinality(String) COMMENT 'synthetic: counts the costs of underlying funds; real: does not. Never mixed in one history (RULES 2)',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1',
    `percent` Decimal(18, 8) COMMENT 'Annual cost rate, percent: 1.32 is 1.32 %',
    `investor_class` LowCardinality(String) COMMENT 'Clase de inversionista that came with the rate: the dated TAC class',
    `moneda` LowCardinality(String) COMMENT 'Functional currency as written',
    `fund` String COMMENT 'Fund name as the source writes it',
    `manager` LowCardinality(String) COMMENT 'Manager name as the source writes it',
    `digital` Bool COMMENT 'serie_digital flag',
    `equity_stated` Decimal(18, 8) COMMENT 'pat_total as stated: thousand millions of CLP or millions of USD'
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, serie, date, kind, revision, source_sha256)
SETTINGS index_granularity = 8192
COMMENT 'Cost rates by series and month, every revision. Holds every revision: read tac_stated_of';
CREATE TABLE fact_vehicle
(
    `run` UInt32 COMMENT 'Fund RUN without check digit',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1',
    `is_etf` Bool COMMENT 'The fund is exchange-traded; a fund without a row is unknown (RULES 11)',
    `note` String COMMENT 'Remark; empty when none',
    `evidence_url` String COMMENT 'Address of the document that proves the flag',
    `evidence_sha256` String COMMENT 'Hash of that document, hex'
)
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, revision, source_sha256)
SETTINGS index_granularity = 8192
COMMENT 'Which funds are exchange-traded, curated; every revision. Holds every revision: read vehicle_of';
CREATE TABLE family_day
(
    `date` Date COMMENT 'Day',
    `family_rar` LowCardinality(String) COMMENT 'familia_rar',
    `currency` LowCardinality(String) COMMENT 'PESOS or DOLAR',
    `build` UInt64 COMMENT 'Batch that built this day',
    `family_display` LowCardinality(Nullable(String)) COMMENT 'familia_visualizador',
    `previous_date` Nullable(Date) COMMENT 'Last day before on which the family was quoted in the currency, at most 7 days earlier; it need not be an index date (index_day). Null where none of its series is quoted that day',
    `daily_return` Nullable(Float64) COMMENT 'Mean change since previous_date of the eligible series, weighted by equity on previous_date, fraction; null without any',
    `chained_return` Nullable(Float64) COMMENT 'The same without one-day spikes: the step of the index where it chains to previous_date, fraction',
    `eligible_series` UInt32 COMMENT 'Series in daily_return',
    `monthly_return` Nullable(Float64) COMMENT 'Mean monthly change weighted by equity at its start, fraction; null without any',
    `equity` Decimal(38, 4) COMMENT 'Equity of the rows that stand for its series that day, full units of currency',
    `series` UInt32 COMMENT 'Series for which a row with a quote stands that day, also those in no mean. Over all families and both currencies they are the classified series but those in any other currency',
    `funds` UInt32 COMMENT 'Their funds',
    `quoted` UInt32 DEFAULT series COMMENT 'Of the series, those with a quote on the very day'
)
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (date, family_rar, currency, build)
SETTINGS index_granularity = 8192
COMMENT 'Each family in each currency on each day. Holds superseded days: read current_family_day';
CREATE TABLE family_long_step
(
    `date` Date COMMENT 'Day to which the step leads',
    `family_rar` LowCardinality(String) COMMENT 'familia_rar',
    `currency` LowCardinality(String) COMMENT 'PESOS or DOLAR',
    `build` UInt64 COMMENT 'Batch that built this day',
    `previous_date` Date COMMENT 'Day from which the step leads, at most 7 days earlier',
    `changes` Array(Tuple(
        series_id UInt32,
        equity Float64,
        change Float64,
        spike Bool)) COMMENT 'Series that count: equity on previous_date in full units of currency, change since then as a fraction, whether the quote of either day is a spike, which the index leaves out'
)
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (date, family_rar, currency, previous_date, build)
SETTINGS index_granularity = 8192
COMMENT 'Steps of families over days between, where the next day on which the family was quoted gave its index no point. Most days have none (RULES 7). Holds superseded days: read current_family_long_step';
CREATE TABLE fi_day
(
    `series_id` UInt32 COMMENT 'Series number (registry, fi_series); the public id is in fi_instrument',
    `date` Date COMMENT 'Day of the values',
    `build` UInt64 COMMENT 'Batch that built this day',
    `currency` LowCardinality(String) COMMENT 'Accounting currency: PESOS, DOLAR, or as written where unknown',
    `book_value` Nullable(Decimal(18, 6)) COMMENT 'Valor libro of one quota, in currency: the quote that returns are made of, never a market price; null when the row was rejected, which is an invalid quote (RULES 1)',
    `economic_value` Nullable(Decimal(18, 6)) COMMENT 'Valor económico of one quota, in currency; null where not appraised',
    `equity` Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto of the series, full units of currency',
    `total_assets` Nullable(Decimal(18, 4)) COMMENT 'Activo total as stated, full units of currency',
    `contributors` Nullable(UInt32) COMMENT 'Aportantes',
    `institutional` Nullable(UInt32) COMMENT 'Of these, institutional',
    `agency` LowCardinality(String) COMMENT 'Agencia as written; empty when none'
)
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (series_id, date, build)
SETTINGS index_granularity = 1024
COMMENT 'One row per series of an investment fund and day, corrections resolved. Holds superseded days: read current_fi_day';
CREATE TABLE fi_day_build
(
    `date` Date COMMENT 'Day whose rows were built',
    `build` UInt64 COMMENT 'Batch that built them'
)
ENGINE = MergeTree
ORDER BY (date, build)
SETTINGS index_granularity = 8192
COMMENT 'Which batch built which day of fi_day, superseded ones too. Holds superseded days: read current_fi_day, which takes the newest build of each day';
CREATE TABLE fi_instrument
(
    `batch` UInt64 COMMENT 'Batch',
    `instrument_id` UUID COMMENT 'Public id of the series, asset_id and instrument_id of the API; of a fund\'s own row that of the fund (cuota_fi_id)',
    `series_id` Nullable(UInt32) COMMENT 'Series number (registry, fi_series), by which days, breaks, returns and risk know it; null in a fund\'s own row',
    `listed` Bool COMMENT 'False: own row of a fund whose series are known; it is found by its id and never listed',
    `fund_id` UInt32 COMMENT 'Fund id (registry), concept_id of the API',
    `run` String COMMENT 'RUN with check digit',
    `serie` LowCardinality(Nullable(String)) COMMENT 'Series name; null in a fund\'s own row',
    `fund` String COMMENT 'Name of the fund',
    `manager_id` Nullable(UInt32) COMMENT 'Manager id (registry), provider_id of the API; null where no register names one',
    `manager` Nullable(String) COMMENT 'Name of the manager',
    `vehicle` LowCardinality(String) COMMENT 'etf or investment_fund',
    `regulatory_type` LowCardinality(String) COMMENT 'RES redeemable (FIRES), FINRE not; FI: the register does not tell (RULES 11)',
    `is_etf` Nullable(Bool) COMMENT 'Exchange-traded, by curated flag; null: unknown',
    `etf_source_url` Nullable(String) COMMENT 'Address of the document that proves the flag',
    `etf_source_sha256` Nullable(String) COMMENT 'Hash of that document, hex',
    `status` LowCardinality(String) COMMENT 'active: vigente and a value at most 95 days older than the cutoff; inactive: no vigente; else unknown (RULES 11)',
    `current` Bool COMMENT 'Quoted within 7 days of the cutoff, and not inactive',
    `first_date` Nullable(Date) COMMENT 'First day with a value, up to the cutoff',
    `last_date` Nullable(Date) COMMENT 'Last day with a value, up to the cutoff; the columns behind this one are of that day, null without one',
    `currency` LowCardinality(Nullable(String)) COMMENT 'PESOS or DOLAR; null for any other',
    `book_value` Nullable(Decimal(18, 6)) COMMENT 'Valor libro of one quota, in currency; null when that row is void',
    `economic_value` Nullable(Decimal(18, 6)) COMMENT 'Valor económico of one quota, in currency',
    `equity` Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto, full units of currency',
    `total_assets` Nullable(Decimal(18, 4)) COMMENT 'Activo total, full units of currency',
    `contributors` Nullable(UInt32) COMMENT 'Aportantes',
    `institutional` Nullable(UInt32) COMMENT 'Of these, institutional',
    `agency` LowCardinality(Nullable(String)) COMMENT 'Agencia'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, instrument_id)
SETTINGS index_granularity = 8192
COMMENT 'Instruments of investment funds: their series, and one row for each fund itself. Holds several batches: read current_fi_instrument';
CREATE TABLE fund
(
    `batch` UInt64 COMMENT 'Batch',
    `fund_id` UInt32 COMMENT 'Fund id (registry), concept_id of the API',
    `run` String COMMENT 'RUN with check digit',
    `manager_id` UInt32 COMMENT 'Manager id (registry); 0 where no source names one',
    `manager` String COMMENT 'Name of the manager',
    `vehicle` LowCardinality(String) COMMENT 'etf by curated flag, whatever the register; else investment_fund or mutual_fund (RULES 11)',
    `name` String COMMENT 'Registered name; else as the association\'s sheet has it; else the RUN',
    `short_name` Nullable(String) COMMENT 'Nombre corto of the register',
    `kind` Nullable(String) COMMENT 'Tipo de fondo mutuo 1 to 8; FIRES or FINRE for investment funds',
    `category` LowCardinality(Nullable(String)) COMMENT 'Category of its series with most equity (RULES 6)',
    `currency` LowCardinality(Nullable(String)) COMMENT 'Registered currency: PESOS, DOLAR or EUR; else that of its series with most equity',
    `started` Nullable(Date32) COMMENT 'Start of operations',
    `ended` Nullable(Date32) COMMENT 'End of operations; null while open',
    `current` Bool COMMENT 'Open in the register at the cutoff; without a register entry: has a current series. Investment funds: the register does not call it no vigente'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, fund_id)
SETTINGS index_granularity = 8192
COMMENT 'Funds of every vehicle. Holds several batches: read current_fund';
CREATE TABLE goose_db_version
(
    `version_id` Int64,
    `is_applied` UInt8,
    `date` Date DEFAULT now(),
    `tstamp` DateTime DEFAULT now()
)
ENGINE = MergeTree
ORDER BY (version_id)
SETTINGS index_granularity = 8192;
CREATE TABLE index_day
(
    `batch` UInt64 COMMENT 'Batch',
    `family_rar` LowCardinality(String) COMMENT 'familia_rar',
    `currency` LowCardinality(String) COMMENT 'PESOS or DOLAR',
    `date` Date COMMENT 'Day on which the family was quoted in the currency',
    `opening_date` Nullable(Date) COMMENT 'Day since which market-summary counts the change of this day: the previous index date as it was known on this day, when no spike of it could be; null where no series counts',
    `previous_date` Nullable(Date) COMMENT 'Previous index date, at most 7 days earlier; null on the base of 100, where the level carries on after a longer gap, and on a day that is no index date',
    `step` Nullable(Float64) COMMENT 'Change of the index since previous_date, fraction; null where that is',
    `value` Nullable(Float64) COMMENT 'Level of the index, 100 on its base; null on a day that is no index date'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, family_rar, currency, date)
SETTINGS index_granularity = 8192
COMMENT 'Indices of families by day, and which days are index dates (RULES 7). Holds several batches: read current_index_day; the points alone: current_family_index';
CREATE TABLE manager
(
    `batch` UInt64 COMMENT 'Batch',
    `manager_id` UInt32 COMMENT 'Manager id (registry)',
    `rut` Nullable(String) COMMENT 'RUT with check digit; null where only the name is known',
    `name` String COMMENT 'Most recent name, upper case as the source, spaces collapsed',
    `mutual_funds` UInt32 COMMENT 'Mutual funds in the register, open or closed, without exchange-traded ones',
    `investment_funds` UInt32 COMMENT 'Investment funds in the register, redeemable or not, without exchange-traded ones',
    `etfs` UInt32 COMMENT 'Exchange-traded funds of either register, by curated flag'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, manager_id)
SETTINGS index_granularity = 8192
COMMENT 'Managers (AGF). Holds several batches: read current_manager';
CREATE TABLE manager_day
(
    `date` Date COMMENT 'Day',
    `manager_rut` UInt32 COMMENT 'RUT of the manager, without check digit',
    `currency` LowCardinality(String) COMMENT 'Accounting currency of the series',
    `build` UInt64 COMMENT 'Batch that built this day',
    `equity` Decimal(38, 4) COMMENT 'Equity of the rows that stand for its series that day, in that currency, full units of it',
    `shareholders` UInt64 COMMENT 'Partícipes, summed over series: not unique people',
    `series` UInt32 COMMENT 'Series for which a row with a quote stands that day',
    `runs` Array(UInt32) COMMENT 'RUNs of their funds, without check digit, ascending'
)
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (date, manager_rut, currency, build)
SETTINGS index_granularity = 8192
COMMENT 'Each manager in each currency on each day. Holds superseded days: read current_manager_day';
CREATE TABLE manifest
(
    `dataset` LowCardinality(String) COMMENT 'Dataset of the file',
    `sha256` String COMMENT 'Hash of the raw file, hex',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen',
    `file` String COMMENT 'Base name of the file',
    `first_date` Nullable(Date) COMMENT 'First business date in the file',
    `last_date` Nullable(Date) COMMENT 'Last business date in the file',
    `rows` UInt64 COMMENT 'Rows read',
    `keys` UInt64 COMMENT 'Distinct keys published: so many facts the file must come to',
    `rejected` UInt64 COMMENT 'Rows rejected'
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (dataset, sha256)
SETTINGS index_granularity = 8192
COMMENT 'Files whose rows were all published to Kafka, and what they must come to';
CREATE TABLE market_build
(
    `date` Date COMMENT 'Day whose rows were built',
    `build` UInt64 COMMENT 'Batch that built them'
)
ENGINE = MergeTree
ORDER BY (date, build)
SETTINGS index_granularity = 8192
COMMENT 'Which batch built which day of market_day, family_day and manager_day, superseded ones too. Holds superseded days: read current_market_day, current_family_day or current_manager_day, which take the newest build of each day';
CREATE TABLE market_day
(
    `date` Date COMMENT 'Day of the quote',
    `series_id` UInt32 COMMENT 'Series id (registry)',
    `stands_until` Date DEFAULT date COMMENT 'Last day on which the row stands for its series: that before the next row, before the fund ended or before its quotas were exchanged, and at most 7 days after its own',
    `build` UInt64 COMMENT 'Batch that built this day',
    `manager_rut` UInt32 COMMENT 'RUT of the manager that reported the day, without check digit; 0 when void',
    `currency` LowCardinality(String) COMMENT 'Accounting currency: PESOS, DOLAR, or as written where unknown; of a void row that of the quote before, at most 31 days older, else empty',
    `price` Nullable(Decimal(18, 6)) COMMENT 'Valor cuota, series currency; null when void',
    `equity` Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto, full units of the series currency',
    `shareholders` Nullable(UInt32) COMMENT 'Partícipes',
    `flow` Nullable(Float64) COMMENT 'Net contribution of the day: quotas contributed less redeemed, at the day\'s quota, full units of the series currency',
    `previous_date` Nullable(Date) COMMENT 'Quote before, at most 7 days older; void rows are passed over (RULES 7)',
    `previous_equity` Nullable(Decimal(18, 4)) COMMENT 'Equity on previous_date, full units: the opening equity of the day',
    `daily_change` Nullable(Float64) COMMENT 'Percent points from previous_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)',
    `month_date` Nullable(Date) COMMENT 'Last quote at one month earlier or at most 7 days before; void rows are passed over (RULES 7)',
    `month_equity` Nullable(Decimal(18, 4)) COMMENT 'Equity on month_date, full units: the opening equity of the month',
    `monthly_change` Nullable(Float64) COMMENT 'Percent points from month_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)',
    `family_rar` LowCardinality(Nullable(String)) COMMENT 'familia_rar as of the day',
    `family_display` LowCardinality(Nullable(String)) COMMENT 'familia_visualizador as of the day',
    `category` LowCardinality(Nullable(String)) COMMENT 'Category as of the day (RULES 6)',
    `classified_later` Bool COMMENT 'True: no classification is as old as the day; the first later one stands in (RULES 7)',
    `daily_outlier` LowCardinality(String) COMMENT 'Why the daily change stays out of indices and rankings: cap or peers; empty when it does not (RULES 7)',
    `monthly_outlier` LowCardinality(String) COMMENT 'The same for the monthly change',
    `spike` Bool COMMENT 'spikes or unspikes: the daily change stays out of index history (RULES 7)',
    `spikes` Bool COMMENT 'The quote is a spike: a daily move of over 10 % of which at least 80 % came back with the next quote',
    `unspikes` Bool COMMENT 'The quote before is a spike, from which this one comes back'
)
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (date, series_id, build)
SETTINGS index_granularity = 1024
COMMENT 'One row per series and day: price, changes, equity, flows, classification, outliers. Holds superseded days: read current_market_day';
CREATE TABLE month_build
(
    `batch` UInt64 COMMENT 'Batch',
    `month` Date COMMENT 'Last day of a closed month that this batch computed anew'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, month)
SETTINGS index_granularity = 8192
COMMENT 'Which months of series_month a batch computed anew; the others are those of the batch before. Holds several batches: read current_series_month';
CREATE TABLE project_command
(
    `id` String COMMENT 'Id of the command, as it stood in the control topic',
    `rebuild` Bool COMMENT 'Build every day anew',
    `asked_at` DateTime64(3, 'UTC') COMMENT 'When the projector received it',
    `inspect` Bool DEFAULT false COMMENT 'Inspect the stored tables, and build only what is found damaged'
)
ENGINE = MergeTree
ORDER BY id
SETTINGS index_granularity = 8192
COMMENT 'Commands to build that arrived. One that was received twice has two rows; those that are carried out stand in command_done';
CREATE TABLE quota_manager
(
    `batch` UInt64 COMMENT 'Batch in which the files are new',
    `run` UInt32 COMMENT 'Fund RUN without check digit',
    `manager_rut` UInt32 COMMENT 'Manager (AGF) RUT without check digit',
    `manager` LowCardinality(String) COMMENT 'Manager name as the cartola writes it, spaces collapsed',
    `stated_on` Date COMMENT 'Last day on which these files state it'
)
ENGINE = MergeTree
ORDER BY (batch, run, manager_rut)
SETTINGS index_granularity = 8192
COMMENT 'Who manages each fund by the new cartolas of each batch. Holds several batches: read manager_of';
CREATE TABLE quota_series
(
    `batch` UInt64 COMMENT 'Batch whose new files speak of the series and none before did',
    `run` UInt32 COMMENT 'Fund RUN without check digit',
    `serie` String COMMENT 'Series name'
)
ENGINE = MergeTree
ORDER BY (run, serie)
SETTINGS index_granularity = 8192
COMMENT 'Series that a cartola speaks of, each once';
CREATE TABLE rate
(
    `batch` UInt64 COMMENT 'Batch',
    `date` Date COMMENT 'Calendar day, with or without publication; the first is that of the oldest indicator',
    `fx` Tuple(
        date Nullable(Date),
        value Nullable(Decimal(18, 6)),
        sha256 Nullable(String),
        revision Nullable(DateTime64(3, 'UTC'))) COMMENT 'Dólar observado last published on or before the day, however old: its day, CLP for one US dollar, hash of the file, when that was published; null before the first',
    `uf` Tuple(
        date Nullable(Date),
        value Nullable(Decimal(18, 6)),
        sha256 Nullable(String),
        revision Nullable(DateTime64(3, 'UTC'))) COMMENT 'UF of the very day: its day, CLP for one UF, hash of the file, when that was published; null where there is none'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, date)
SETTINGS index_granularity = 8192
COMMENT 'What quotes of each calendar day are converted with (RULES 1). Holds several batches: read current_rate';
CREATE TABLE reference_category
(
    `vocabulary` LowCardinality(String) COMMENT 'Whose word it is: family_rar, family_display or aafm',
    `name` String COMMENT 'The word, exactly as the source writes it',
    `category` LowCardinality(String) COMMENT 'money_market, fixed_income, balanced, equity, structured or other (RULES 6)'
)
ENGINE = MergeTree
ORDER BY (vocabulary, name)
SETTINGS index_granularity = 8192
COMMENT 'Families and categories of the sources, and the category that we give them. What is not here is unclassified';
CREATE TABLE registry
(
    `kind` LowCardinality(String) COMMENT 'manager, fund, series (of mutual funds) or fi_series (of investment funds): ids are unique inside a kind, and both kinds of series share one space',
    `id` UInt32 COMMENT 'CRC-32 of the key, or of key#1, key#2 … where that was taken (RULES 12)',
    `key` String COMMENT 'agf:RUT, fund:RUN, series:RUN:SERIE or fi:RUN:SERIE, with check digits',
    `run` UInt32 COMMENT 'RUN of the fund or series, RUT of the manager, without check digit; 0 for a manager known by name alone',
    `serie` String COMMENT 'Series name; empty for funds, normalised name for managers without RUT',
    `batch` UInt64 COMMENT 'Batch that first needed the id'
)
ENGINE = MergeTree
ORDER BY (kind, id)
SETTINGS index_granularity = 8192
COMMENT 'Every id ever given out. Ids are never reused';
CREATE TABLE registry_copy
(
    `kind` LowCardinality(String) COMMENT 'As in registry',
    `id` UInt32 COMMENT 'As in registry',
    `key` String COMMENT 'As in registry',
    `run` UInt32 COMMENT 'As in registry',
    `serie` String COMMENT 'As in registry',
    `batch` UInt64 COMMENT 'As in registry'
)
ENGINE = MergeTree
ORDER BY (kind, id)
SETTINGS index_granularity = 8192
COMMENT 'A second copy of registry, in files of its own: ids that were given out must not be given out anew if one copy is lost';
CREATE TABLE rejected_row
(
    `dataset` LowCardinality(String) COMMENT 'Dataset of the file',
    `source_sha256` LowCardinality(String) COMMENT 'Hash of the raw file, hex',
    `source_line` UInt32 COMMENT 'Line in the raw file, from 1',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen',
    `file` String COMMENT 'Base name of the file',
    `reason` String COMMENT 'What was wrong, for whoever mends the file',
    `raw` String COMMENT 'The row as it came, cut to 4 KiB',
    `arrived_at` DateTime('UTC') DEFAULT toDateTime(revision, 'UTC') COMMENT 'When the row came last: of the rows of complete files the newest 100,000 are kept (outdated_reject)'
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (dataset, source_sha256, source_line)
SETTINGS index_granularity = 8192
COMMENT 'Rows that did not pass at ingest, the newest 100,000; nothing is dropped silently: manifest counts all of them';
CREATE TABLE retired_batch
(
    `batch` UInt64 COMMENT 'Number of a batch whose rows were dropped'
)
ENGINE = MergeTree
ORDER BY batch
SETTINGS index_granularity = 8192
COMMENT 'Batches too old to be asked for';
CREATE TABLE risk_month
(
    `batch` UInt64 COMMENT 'Batch',
    `series_id` UInt32 COMMENT 'Series id (registry)',
    `month` Date COMMENT 'Month end of the snapshot',
    `volatility_monthly_12m` Nullable(Float64) COMMENT 'Sample standard deviation of the last 12 monthly returns, fraction, adjusted by the factors that the cartola states; price returns (series_return) are not; null unless all are known',
    `volatility_monthly_36m` Nullable(Float64) COMMENT 'The same of 36',
    `volatility_annualized_12m` Nullable(Float64) COMMENT 'volatility_monthly_12m × √12',
    `volatility_annualized_36m` Nullable(Float64) COMMENT 'volatility_monthly_36m × √12',
    `max_drawdown_36m` Nullable(Float64) COMMENT 'Deepest fall below an earlier daily quote of the 36 months, fraction, 0 or less, adjusted by the factors that the cartola states; price returns (series_return) are not; null unless all 36 monthly returns are known',
    `risk_score` Nullable(UInt8) COMMENT '100 times the mean of two percentiles: of volatility_monthly_36m and of the depth of the drawdown, among the series of the month that have both, mutual funds and investment funds each among themselves. The percentile is the mid-rank: the share of series with a smaller value and half of the share of those with the same, itself included (RULES 5)',
    `risk_level` LowCardinality(Nullable(String)) COMMENT 'low below 34, medium below 67, else high; null without a score',
    `downside_deviation_36m` Nullable(Float64) COMMENT 'Root of the mean squared negative monthly return of 36 months × √12, fraction',
    `var_95_1m` Nullable(Float64) COMMENT '5th percentile of 36 monthly returns, interpolated between neighbours, fraction: negative for a loss',
    `beta_36m` Nullable(Float64) COMMENT 'Slope against the monthly returns of the own family in the same currency, at least 24 pairs; null without an index',
    `tracking_error_36m` Nullable(Float64) COMMENT 'Sample standard deviation of the difference to those × √12, fraction; null without an index',
    `method_version` LowCardinality(String) COMMENT 'Version of the risk rules'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id, month)
SETTINGS index_granularity = 8192
COMMENT 'Risk snapshot of each series with a month-end quote, closed months only (RULES 5). Holds several batches: read current_risk_month';
CREATE TABLE screener
(
    `batch` UInt64 COMMENT 'Batch',
    `series_id` UInt32 COMMENT 'Series id (registry)',
    `fund_id` UInt32 COMMENT 'Fund id (registry)',
    `run` String COMMENT 'RUN with check digit',
    `serie` String COMMENT 'Series name at the cutoff',
    `manager_id` UInt32 COMMENT 'Manager id (registry)',
    `manager` String COMMENT 'Name of the manager',
    `fund` String COMMENT 'Name of the fund',
    `category` LowCardinality(Nullable(String)) COMMENT 'Category (RULES 6)',
    `family_rar` LowCardinality(Nullable(String)) COMMENT 'familia_rar: the peer group',
    `family_display` LowCardinality(Nullable(String)) COMMENT 'familia_visualizador',
    `family_studies` LowCardinality(Nullable(String)) COMMENT 'familia_estudios',
    `class_dated` LowCardinality(Nullable(String)) COMMENT 'Investor class of the newest classification file',
    `classification_date` Nullable(Date) COMMENT 'Date of that file',
    `class_tac` LowCardinality(Nullable(String)) COMMENT 'Investor class that came with the TAC',
    `currency` LowCardinality(Nullable(String)) COMMENT 'Accounting currency: PESOS or DOLAR; null for any other',
    `tac` Nullable(Float64) COMMENT 'Annual cost rate, fraction',
    `tac_kind` LowCardinality(Nullable(String)) COMMENT 'synthetic, stated or computed, of tac; null without a rate. Kinds do not compare: tac_month.tac_kind',
    `tac_date` Nullable(Date) COMMENT 'Date of the TAC',
    `price` Nullable(Decimal(18, 6)) COMMENT 'Valor cuota, series currency',
    `price_date` Date COMMENT 'Date of the quota value',
    `daily_change` Nullable(Float64) COMMENT 'Percent points from the quote before, adjusted by the factors that the cartola states; return_1m and the other price returns are not',
    `monthly_change` Nullable(Float64) COMMENT 'Percent points from the quote of a month before, adjusted by the factors that the cartola states; return_1m is not, and differs where a distribution was paid',
    `equity` Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto, full units of the series currency',
    `previous_equity` Nullable(Decimal(18, 4)) COMMENT 'Equity at the quote before, full units of the series currency',
    `month_equity` Nullable(Decimal(18, 4)) COMMENT 'Equity one month earlier, full units of the series currency',
    `shareholders` Nullable(UInt32) COMMENT 'Partícipes',
    `spheres` Nullable(UInt8) COMMENT 'ind_rar_pond, 1 to 5, 5 best',
    `spheres_reason` LowCardinality(Nullable(String)) COMMENT 'Why there is none (RULES 3)',
    `spheres_date` Nullable(Date) COMMENT 'Date of the comparator',
    `spheres_loaded_at` Nullable(DateTime64(3, 'UTC')) COMMENT 'Revision of the comparator',
    `spheres_sha256` Nullable(String) COMMENT 'Hash of the comparator, hex',
    `return_1m` Nullable(Float64) COMMENT 'Price return 1m, fraction, accounting currency: of the quotas alone. daily_change, monthly_change, volatility and drawdown are adjusted by factors, return_1m is not',
    `return_3m` Nullable(Float64) COMMENT 'Price return 3m, fraction, accounting currency',
    `return_6m` Nullable(Float64) COMMENT 'Price return 6m, fraction, accounting currency',
    `return_1y` Nullable(Float64) COMMENT 'Price return 1y, fraction, accounting currency',
    `return_ytd` Nullable(Float64) COMMENT 'Price return ytd, fraction, accounting currency',
    `return_3y_ann` Nullable(Float64) COMMENT 'Price return 3y_ann, fraction, accounting currency',
    `return_5y_ann` Nullable(Float64) COMMENT 'Price return 5y_ann, fraction, accounting currency',
    `return_last_closed_month` Nullable(Float64) COMMENT 'Price return last_closed_month, fraction, accounting currency',
    `currency_last_closed_month` LowCardinality(Nullable(String)) DEFAULT currency COMMENT 'Currency of return_last_closed_month, which the series may have left since; the other windows end in currency',
    `reason_1m` LowCardinality(Nullable(String)) COMMENT 'Why return_1m is null (RULES 1)',
    `reason_3m` LowCardinality(Nullable(String)) COMMENT 'Why return_3m is null (RULES 1)',
    `reason_6m` LowCardinality(Nullable(String)) COMMENT 'Why return_6m is null (RULES 1)',
    `reason_1y` LowCardinality(Nullable(String)) COMMENT 'Why return_1y is null (RULES 1)',
    `reason_ytd` LowCardinality(Nullable(String)) COMMENT 'Why return_ytd is null (RULES 1)',
    `reason_3y_ann` LowCardinality(Nullable(String)) COMMENT 'Why return_3y_ann is null (RULES 1)',
    `reason_5y_ann` LowCardinality(Nullable(String)) COMMENT 'Why return_5y_ann is null (RULES 1)',
    `reason_last_closed_month` LowCardinality(Nullable(String)) COMMENT 'Why return_last_closed_month is null (RULES 1)',
    `start_1m` Nullable(Date) COMMENT 'Effective start of 1m',
    `start_3m` Nullable(Date) COMMENT 'Effective start of 3m',
    `start_6m` Nullable(Date) COMMENT 'Effective start of 6m',
    `start_1y` Nullable(Date) COMMENT 'Effective start of 1y',
    `start_ytd` Nullable(Date) COMMENT 'Effective start of ytd',
    `start_3y_ann` Nullable(Date) COMMENT 'Effective start of 3y_ann',
    `start_5y_ann` Nullable(Date) COMMENT 'Effective start of 5y_ann',
    `start_last_closed_month` Nullable(Date) COMMENT 'Effective start of last_closed_month',
    `end_1m` Nullable(Date) COMMENT 'Effective end of 1m',
    `end_3m` Nullable(Date) COMMENT 'Effective end of 3m',
    `end_6m` Nullable(Date) COMMENT 'Effective end of 6m',
    `end_1y` Nullable(Date) COMMENT 'Effective end of 1y',
    `end_ytd` Nullable(Date) COMMENT 'Effective end of ytd',
    `end_3y_ann` Nullable(Date) COMMENT 'Effective end of 3y_ann',
    `end_5y_ann` Nullable(Date) COMMENT 'Effective end of 5y_ann',
    `end_last_closed_month` Nullable(Date) COMMENT 'Effective end of last_closed_month',
    `volatility_monthly_12m` Nullable(Float64) COMMENT 'Sample standard deviation of 12 monthly returns, fraction, adjusted by the factors that the cartola states; return_1m is not',
    `volatility_monthly_36m` Nullable(Float64) COMMENT 'Sample standard deviation of 36 monthly returns, fraction, adjusted by the factors that the cartola states; return_1m is not',
    `volatility_annualized_12m` Nullable(Float64) COMMENT 'volatility_monthly_12m × √12',
    `volatility_annualized_36m` Nullable(Float64) COMMENT 'volatility_monthly_36m × √12',
    `max_drawdown_36m` Nullable(Float64) COMMENT 'Deepest fall in 36 months of daily quotes, fraction, 0 or less, adjusted by the factors that the cartola states; return_1m is not',
    `risk_score` Nullable(UInt8) COMMENT '0 to 100 among the series of risk_date by mid-rank percentiles: risk_month.risk_score',
    `risk_level` LowCardinality(Nullable(String)) COMMENT 'low, medium or high',
    `risk_date` Nullable(Date) COMMENT 'Month end of the newest snapshot of the series; null without any',
    `risk_method_version` LowCardinality(Nullable(String)) COMMENT 'Version of the risk rules; null without a snapshot',
    `previous_serie` Nullable(String) COMMENT 'Name before the newest rename; null without a rename',
    `current_serie` Nullable(String) COMMENT 'Name since the newest rename, which may lie after the cutoff; null without a rename',
    `first_current_date` Nullable(Date) COMMENT 'First day under current_serie; null without a rename',
    `alias_ids` Array(UInt32) COMMENT 'Ids that find the series, that of the newest name first; empty without a rename'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id)
SETTINGS index_granularity = 1024
COMMENT 'One row per series alive at the cutoff: what the screener filters, sorts and shows. Holds several batches: read current_screener';
CREATE TABLE series
(
    `batch` UInt64 COMMENT 'Batch',
    `series_id` UInt32 COMMENT 'Series id (registry), asset_id of the API',
    `fund_id` UInt32 COMMENT 'Fund id (registry)',
    `run` String COMMENT 'RUN with check digit',
    `serie` String COMMENT 'Series name at the cutoff',
    `currency` LowCardinality(Nullable(String)) COMMENT 'PESOS or DOLAR, of the last quote; null for any other',
    `category` LowCardinality(Nullable(String)) COMMENT 'Category by family, else by association category; null while unclassified (RULES 6)',
    `family_rar` LowCardinality(Nullable(String)) COMMENT 'familia_rar: the peer group',
    `family_display` LowCardinality(Nullable(String)) COMMENT 'familia_visualizador',
    `family_studies` LowCardinality(Nullable(String)) COMMENT 'familia_estudios',
    `class_dated` LowCardinality(Nullable(String)) COMMENT 'Investor class of the newest classification file',
    `classification_date` Nullable(Date) COMMENT 'Date of that file',
    `class_tac` LowCardinality(Nullable(String)) COMMENT 'Investor class that came with the TAC',
    `tac` Nullable(Float64) COMMENT 'Annual cost rate, fraction: 0.0132 is 1.32 % (RULES 2)',
    `tac_kind` LowCardinality(Nullable(String)) COMMENT 'synthetic, stated or computed; null without a rate. Kinds do not compare: tac_month.tac_kind',
    `tac_date` Nullable(Date) COMMENT 'Date of the TAC',
    `spheres` Nullable(UInt8) COMMENT 'ind_rar_pond of the newest comparator, 1 to 5, 5 best',
    `spheres_reason` LowCardinality(Nullable(String)) COMMENT 'Why there is none: source_unavailable, not_in_source, not_rated_by_cmf, no_complete_cutoff (RULES 3)',
    `spheres_date` Nullable(Date) COMMENT 'Date of that comparator',
    `spheres_loaded_at` Nullable(DateTime64(3, 'UTC')) COMMENT 'Revision of that comparator',
    `spheres_sha256` Nullable(String) COMMENT 'Hash of that comparator, hex',
    `apv` Nullable(Bool) COMMENT 'Series for voluntary pension saving, by the association\'s sheet',
    `first_date` Date COMMENT 'First quote',
    `last_date` Date COMMENT 'Last quote not after the cutoff',
    `current` Bool COMMENT 'Quoted within 7 days of the cutoff, and neither its fund ended nor its quotas exchanged by then',
    `previous_serie` Nullable(String) COMMENT 'Name before the newest rename; null without a rename',
    `current_serie` Nullable(String) COMMENT 'Name since the newest rename, which may lie after the cutoff; null without a rename',
    `first_current_date` Nullable(Date) COMMENT 'First day under current_serie; null without a rename',
    `alias_ids` Array(UInt32) COMMENT 'Ids that find the series, that of the newest name first; empty without a rename',
    `last_family` LowCardinality(Nullable(String)) COMMENT 'familia_rar that the newest comparator file to name one gives the series, closed or not: what survivorship is studied by; null where none ever did',
    `last_category` LowCardinality(Nullable(String)) COMMENT 'Category by the newest comparator file that gives one, else by the newest sheet of the association that does; null where none ever did'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id)
SETTINGS index_granularity = 8192
COMMENT 'Series of mutual funds that ever had a quote up to the cutoff. Holds several batches: read current_series';
CREATE TABLE series_break
(
    `batch` UInt64 COMMENT 'Batch',
    `series_id` UInt32 COMMENT 'Series id (registry)',
    `date` Date COMMENT 'Later of the two quotes between which the series breaks',
    `kind` LowCardinality(String) COMMENT 'currency_change; or a known discontinuity: gap (over 31 days), restart (equity 0, then more), adjustment (factor de ajuste not 1), curated (an event says so; date is the first day after the break)'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id, date)
SETTINGS index_granularity = 8192
COMMENT 'Days across which a price return would be meaningless (RULES 1). Holds several batches: read current_series_break';
CREATE TABLE series_day
(
    `series_id` UInt32 COMMENT 'Series id (registry)',
    `date` Date COMMENT 'Day of the quota value',
    `build` UInt64 COMMENT 'Batch that built this day',
    `quota` Nullable(Decimal(18, 6)) COMMENT 'Valor cuota in currency; null when the row was rejected, which is an invalid quote (RULES 1)',
    `currency` LowCardinality(String) COMMENT 'Accounting currency: PESOS, DOLAR, or as written where unknown',
    `equity` Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto of the series, full units of currency',
    `shareholders` Nullable(UInt32) COMMENT 'Partícipes',
    `manager_rut` UInt32 COMMENT 'RUT of the manager that reported the day, without check digit; 0 when void',
    `units_outstanding` Nullable(Decimal(18, 4)) COMMENT 'Cuotas en circulación, in quotas',
    `units_contributed` Nullable(Decimal(18, 4)) COMMENT 'Cuotas aportadas that day, in quotas',
    `units_redeemed` Nullable(Decimal(18, 4)) COMMENT 'Cuotas rescatadas that day, in quotas',
    `costs` Nullable(Decimal(18, 4)) COMMENT 'Fixed and variable fee, affected and unaffected expenses of the day, in currency (RULES 2)',
    `adjustment_factor` Nullable(Decimal(18, 9)) COMMENT 'Factor de ajuste; null: none stated, 1',
    `distribution_factor` Nullable(Decimal(18, 9)) COMMENT 'Factor de reparto; null: none stated, 1'
)
ENGINE = MergeTree
PARTITION BY toYear(date)
ORDER BY (series_id, date, build)
SETTINGS index_granularity = 1024
COMMENT 'One row per series and day, corrections resolved. Holds superseded days: read current_series_day';
CREATE TABLE series_label
(
    `batch` UInt64 COMMENT 'Batch',
    `series_id` UInt32 COMMENT 'Series id (registry): that of the newest name',
    `label_id` UInt32 COMMENT 'Id of this name (registry); finds the series like series_id',
    `run` UInt32 COMMENT 'Fund RUN without check digit',
    `serie` LowCardinality(String) COMMENT 'Name',
    `position` UInt8 COMMENT '1 for the newest name, 2 for the one before …',
    `valid_from` Date COMMENT 'First day under this name; 1970-01-01 for the first one',
    `valid_until` Date COMMENT 'Last day under this name; 2149-06-06 for the newest one'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, label_id)
SETTINGS index_granularity = 8192
COMMENT 'The names of renamed series. Series that never changed their name have no row: see label_of. Holds several batches: read current_series_label';
CREATE TABLE series_latest
(
    `batch` UInt64 COMMENT 'Batch',
    `series_id` UInt32 COMMENT 'Series id (registry)',
    `date` Date COMMENT 'Last quote not after the cutoff',
    `quota` Nullable(Decimal(18, 6)) COMMENT 'Valor cuota, series currency; null when that row is void',
    `equity` Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto, full units of the series currency',
    `shareholders` Nullable(UInt32) COMMENT 'Partícipes',
    `previous_date` Nullable(Date) COMMENT 'Quote before, at most 7 days older',
    `previous_equity` Nullable(Decimal(18, 4)) COMMENT 'Equity on previous_date, full units of the series currency',
    `daily_change` Nullable(Float64) COMMENT 'Percent points from previous_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)',
    `month_date` Nullable(Date) COMMENT 'Quote at or at most 7 days before one month earlier',
    `month_equity` Nullable(Decimal(18, 4)) COMMENT 'Equity on month_date, full units of the series currency',
    `monthly_change` Nullable(Float64) COMMENT 'Percent points from month_date, adjusted by the factors that the cartola states; price returns (series_return) are not; null across a break (RULES 7)'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id)
SETTINGS index_granularity = 8192
COMMENT 'Latest day of each series, with its changes. Holds several batches: read current_series_latest';
CREATE TABLE series_month
(
    `batch` UInt64 COMMENT 'Batch',
    `series_id` UInt32 COMMENT 'Series id (registry)',
    `month` Date COMMENT 'Last day of the closed month',
    `quote_date` Nullable(Date) COMMENT 'Day of the month-end quote: the last one of the month; null when it is invalid or over 7 days old (RULES 5)',
    `equity` Nullable(Decimal(18, 4)) COMMENT 'Patrimonio neto on the last quoted day, at most 7 days old, full units of the series currency',
    `growth` Nullable(Float64) COMMENT 'This month-end quote as a multiple of the one before, accounting currency, factor-adjusted: 1.01 is a return of 1 %; null across a break (RULES 5)',
    `peak` Nullable(Float64) COMMENT 'Highest quote since the month-end quote before, as a multiple of it; null without growth',
    `trough` Nullable(Float64) COMMENT 'Lowest quote since the month-end quote before, as a multiple of it; null without growth',
    `drawdown` Nullable(Float64) COMMENT 'Deepest fall below an earlier quote since the month-end quote before, fraction, 0 or less; null without growth',
    `cost_rate` Nullable(Float64) COMMENT 'Mean of the daily TAC over cost_days, fraction a year (RULES 2); null without any',
    `cost_days` UInt8 COMMENT 'Days of the month with a daily TAC. With fewer than 15 the month has no computed rate (tac_month)'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id, month)
SETTINGS index_granularity = 8192
COMMENT 'What the daily quotes of each series come to in each closed month. Holds several batches: read current_series_month';
CREATE TABLE series_rename
(
    `batch` UInt64 COMMENT 'Batch',
    `run` UInt32 COMMENT 'Fund RUN without check digit',
    `previous_serie` LowCardinality(String) COMMENT 'Name that the series gave up',
    `current_serie` LowCardinality(String) COMMENT 'Name that the series took',
    `first_current_date` Date COMMENT 'First day under the new name',
    `reason` LowCardinality(String) COMMENT 'Why it is not applied: several_previous (two names become this one), cycle, chain_too_long (over 32 renames), dates_out_of_order, unknown_series (neither name was ever quoted), both_quoted (the two lived side by side: not one series); empty when it is applied'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, run, previous_serie)
SETTINGS index_granularity = 8192
COMMENT 'Every rename that the files of a batch state, corrections resolved, and whether it is applied. Holds several batches: read current_series_rename';
CREATE TABLE series_return
(
    `batch` UInt64 COMMENT 'Batch',
    `series_id` UInt32 COMMENT 'Series id (registry)',
    `window` LowCardinality(String) COMMENT '1m, 3m, 6m, 1y, ytd, 3y_ann, 5y_ann or last_closed_month',
    `value` Nullable(Float64) COMMENT 'Price return in accounting currency, fraction; 3y_ann and 5y_ann per year. Of the quotas alone: market_day.daily_change and monthly_change are adjusted by factors, this is not',
    `currency` LowCardinality(Nullable(String)) COMMENT 'PESOS or DOLAR; null when unavailable',
    `reason` LowCardinality(Nullable(String)) COMMENT 'Why there is no value, the first that applies (RULES 1); null when available',
    `target_start` Date COMMENT 'Start that the window asks for',
    `target_end` Date COMMENT 'End that the window asks for',
    `effective_start` Nullable(Date) COMMENT 'Last quote on or before target_start',
    `effective_end` Nullable(Date) COMMENT 'Last quote on or before target_end'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id, window)
SETTINGS index_granularity = 8192
COMMENT 'Price returns in accounting currency, eight windows a series, at the cutoff. Holds several batches: read current_series_return';
CREATE TABLE source
(
    `dataset` LowCardinality(String) COMMENT 'Dataset of the file',
    `sha256` String COMMENT 'Hash of the raw file, hex',
    `revision` DateTime64(3, 'UTC') COMMENT 'When the source was published, else first seen',
    `file` String COMMENT 'Base name of the file',
    `first_date` Nullable(Date) COMMENT 'First business date in the file',
    `last_date` Nullable(Date) COMMENT 'Last business date in the file',
    `rows` UInt64 COMMENT 'Rows read',
    `keys` UInt64 COMMENT 'Distinct keys published',
    `rejected` UInt64 COMMENT 'Rows rejected'
)
ENGINE = ReplacingMergeTree(revision)
ORDER BY (dataset, sha256)
SETTINGS index_granularity = 8192
COMMENT 'Complete files: every key of the manifest has arrived as a fact. Only these enter a batch';
CREATE TABLE tac_month
(
    `batch` UInt64 COMMENT 'Batch',
    `series_id` UInt32 COMMENT 'Series id (registry)',
    `month` Date COMMENT 'Month end that the rate is for',
    `kind` LowCardinality(String) COMMENT 'synthetic: counts the costs of underlying funds; real: does not (RULES 2)',
    `source` LowCardinality(String) COMMENT 'stated: by a published file; computed: from the daily costs of the cartola. A month may have both',
    `tac` Nullable(Float64) COMMENT 'Annual cost rate, fraction: 0.0132 is 1.32 %; null where the computed mean is no rate between 0 and 1',
    `cost_days` UInt8 COMMENT 'Daily values in the mean of a computed rate: a month needs 15, else it has none; 0 when stated',
    `investor_class` LowCardinality(Nullable(String)) COMMENT 'Investor class that came with a stated rate: the dated TAC class',
    `tac_kind` LowCardinality(String) DEFAULT if(kind = 'synthetic', kind, source) COMMENT 'synthetic: stated, and counts the costs of underlying funds. stated, computed: the source of a rate that does not. Rates of different kinds do not compare',
    `decimals` Nullable(UInt8) COMMENT 'Decimals that the percentages of the stating file are published with: as many as its finest, at least 2; null when computed. A difference below half of the last is rounding'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id, month, kind)
SETTINGS index_granularity = 8192
COMMENT 'Cost rates of each series and month, one of each tac_kind. Holds several batches: read current_tac_month';
CREATE TABLE window_target
(
    `batch` UInt64 COMMENT 'Batch',
    `window` LowCardinality(String) COMMENT 'Return window',
    `target_start` Date COMMENT 'Start that the window asks for at the cutoff',
    `target_end` Date COMMENT 'End that the window asks for at the cutoff'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, window)
SETTINGS index_granularity = 8192
COMMENT 'Target dates of the windows of a batch, the same for every series. Holds several batches: read current_window_target';
INSERT INTO batch (`batch`, `batch_id`, `as_of_date`, `latest_complete_date`, `last_quota_date`, `calculation_date`, `calculated_at`, `input_fingerprint`, `method_version`, `tolerance_days`, `series_count`, `total_records`, `rebuilt_days`, `rules`, `noted`) VALUES (1, '20191120-1-aa4b074023f8', '2019-11-20', '2019-11-20', '2019-11-21', '2026-11-23', '2026-11-23 06:04:58.517', 'aa4b074023f8faabeaedfede33c5690e0ccee215520d3e9570df625f97e76581', 'price_return_v1', 7, 2, 60, 37, '1222d08fba6350698e6dc0af770e46a26c3b293399c6b4a39d68be4a160cb760', true);
INSERT INTO batch_attempt (`batch`, `started_at`, `claim`) VALUES (1, '2026-11-23 06:04:55.461', 'JGBBWKZMH6NQ44RRHQKQWU4OIW');
;
;
INSERT INTO batch_progress (`batch`, `noted_at`, `done`, `projections`) VALUES (1, '2026-11-23 06:04:55.524', 1, 37), (1, '2026-11-23 06:04:56.643', 14, 37), (1, '2026-11-23 06:04:57.658', 24, 37);
INSERT INTO batch_source (`batch`, `dataset`, `sha256`, `revision`) VALUES (1, 'cartola', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', '2019-12-01 00:00:00.000');
INSERT INTO batch_table (`batch`, `table`, `piece`, `rows`) VALUES (1, 'batch_source', '', 1), (1, 'classification', '', 0), (1, 'continuation', '', 0), (1, 'continued_history', '', 0), (1, 'day', '', 37), (1, 'fact_quota', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', 60), (1, 'family_day', '2019-10-16', 0), (1, 'family_day', '2019-10-17', 0), (1, 'family_day', '2019-10-18', 0), (1, 'family_day', '2019-10-19', 0), (1, 'family_day', '2019-10-20', 0), (1, 'family_day', '2019-10-21', 0), (1, 'family_day', '2019-10-22', 0), (1, 'family_day', '2019-10-23', 0), (1, 'family_day', '2019-10-24', 0), (1, 'family_day', '2019-10-25', 0), (1, 'family_day', '2019-10-26', 0), (1, 'family_day', '2019-10-27', 0), (1, 'family_day', '2019-10-28', 0), (1, 'family_day', '2019-10-29', 0), (1, 'family_day', '2019-10-30', 0), (1, 'family_day', '2019-10-31', 0), (1, 'family_day', '2019-11-01', 0), (1, 'family_day', '2019-11-02', 0), (1, 'family_day', '2019-11-03', 0), (1, 'family_day', '2019-11-04', 0), (1, 'family_day', '2019-11-05', 0), (1, 'family_day', '2019-11-06', 0), (1, 'family_day', '2019-11-07', 0), (1, 'family_day', '2019-11-08', 0), (1, 'family_day', '2019-11-09', 0), (1, 'family_day', '2019-11-10', 0), (1, 'family_day', '2019-11-11', 0), (1, 'family_day', '2019-11-12', 0), (1, 'family_day', '2019-11-13', 0), (1, 'family_day', '2019-11-14', 0), (1, 'family_day', '2019-11-15', 0), (1, 'family_day', '2019-11-16', 0), (1, 'family_day', '2019-11-17', 0), (1, 'family_day', '2019-11-18', 0), (1, 'family_day', '2019-11-19', 0), (1, 'family_day', '2019-11-20', 0), (1, 'family_day', '2019-11-21', 0), (1, 'family_long_step', '2019-10-16', 0), (1, 'family_long_step', '2019-10-17', 0), (1, 'family_long_step', '2019-10-18', 0), (1, 'family_long_step', '2019-10-19', 0), (1, 'family_long_step', '2019-10-20', 0), (1, 'family_long_step', '2019-10-21', 0), (1, 'family_long_step', '2019-10-22', 0), (1, 'family_long_step', '2019-10-23', 0), (1, 'family_long_step', '2019-10-24', 0), (1, 'family_long_step', '2019-10-25', 0), (1, 'family_long_step', '2019-10-26', 0), (1, 'family_long_step', '2019-10-27', 0), (1, 'family_long_step', '2019-10-28', 0), (1, 'family_long_step', '2019-10-29', 0), (1, 'family_long_step', '2019-10-30', 0), (1, 'family_long_step', '2019-10-31', 0), (1, 'family_long_step', '2019-11-01', 0), (1, 'family_long_step', '2019-11-02', 0), (1, 'family_long_step', '2019-11-03', 0), (1, 'family_long_step', '2019-11-04', 0), (1, 'family_long_step', '2019-11-05', 0), (1, 'family_long_step', '2019-11-06', 0), (1, 'family_long_step', '2019-11-07', 0), (1, 'family_long_step', '2019-11-08', 0), (1, 'family_long_step', '2019-11-09', 0), (1, 'family_long_step', '2019-11-10', 0), (1, 'family_long_step', '2019-11-11', 0), (1, 'family_long_step', '2019-11-12', 0), (1, 'family_long_step', '2019-11-13', 0), (1, 'family_long_step', '2019-11-14', 0), (1, 'family_long_step', '2019-11-15', 0), (1, 'family_long_step', '2019-11-16', 0), (1, 'family_long_step', '2019-11-17', 0), (1, 'family_long_step', '2019-11-18', 0), (1, 'family_long_step', '2019-11-19', 0), (1, 'family_long_step', '2019-11-20', 0), (1, 'family_long_step', '2019-11-21', 0), (1, 'fi_instrument', '', 0), (1, 'fund', '', 1), (1, 'index_day', '', 0), (1, 'manager', '', 1), (1, 'manager_day', '2019-10-16', 1), (1, 'manager_day', '2019-10-17', 1), (1, 'manager_day', '2019-10-18', 1), (1, 'manager_day', '2019-10-19', 1), (1, 'manager_day', '2019-10-20', 1), (1, 'manager_day', '2019-10-21', 1), (1, 'manager_day', '2019-10-22', 1), (1, 'manager_day', '2019-10-23', 1), (1, 'manager_day', '2019-10-24', 1), (1, 'manager_day', '2019-10-25', 1), (1, 'manager_day', '2019-10-26', 1), (1, 'manager_day', '2019-10-27', 1), (1, 'manager_day', '2019-10-28', 1), (1, 'manager_day', '2019-10-29', 1), (1, 'manager_day', '2019-10-30', 1), (1, 'manager_day', '2019-10-31', 1), (1, 'manager_day', '2019-11-01', 1), (1, 'manager_day', '2019-11-02', 1), (1, 'manager_day', '2019-11-03', 1), (1, 'manager_day', '2019-11-04', 1), (1, 'manager_day', '2019-11-05', 1), (1, 'manager_day', '2019-11-06', 1), (1, 'manager_day', '2019-11-07', 1), (1, 'manager_day', '2019-11-08', 1), (1, 'manager_day', '2019-11-09', 1), (1, 'manager_day', '2019-11-10', 1), (1, 'manager_day', '2019-11-11', 1), (1, 'manager_day', '2019-11-12', 1), (1, 'manager_day', '2019-11-13', 1), (1, 'manager_day', '2019-11-14', 1), (1, 'manager_day', '2019-11-15', 1), (1, 'manager_day', '2019-11-16', 1), (1, 'manager_day', '2019-11-17', 1), (1, 'manager_day', '2019-11-18', 1), (1, 'manager_day', '2019-11-19', 1), (1, 'manager_day', '2019-11-20', 1), (1, 'manager_day', '2019-11-21', 1), (1, 'market_day', '2019-10-16', 1), (1, 'market_day', '2019-10-17', 1), (1, 'market_day', '2019-10-18', 1), (1, 'market_day', '2019-10-19', 1), (1, 'market_day', '2019-10-20', 1), (1, 'market_day', '2019-10-21', 1), (1, 'market_day', '2019-10-22', 1), (1, 'market_day', '2019-10-23', 1), (1, 'market_day', '2019-10-24', 1), (1, 'market_day', '2019-10-25', 1), (1, 'market_day', '2019-10-26', 1), (1, 'market_day', '2019-10-27', 1), (1, 'market_day', '2019-10-28', 1), (1, 'market_day', '2019-10-29', 2), (1, 'market_day', '2019-10-30', 2), (1, 'market_day', '2019-10-31', 2), (1, 'market_day', '2019-11-01', 2), (1, 'market_day', '2019-11-02', 2), (1, 'market_day', '2019-11-03', 2), (1, 'market_day', '2019-11-04', 2), (1, 'market_day', '2019-11-05', 2), (1, 'market_day', '2019-11-06', 2), (1, 'market_day', '2019-11-07', 2), (1, 'market_day', '2019-11-08', 2), (1, 'market_day', '2019-11-09', 2), (1, 'market_day', '2019-11-10', 2), (1, 'market_day', '2019-11-11', 2), (1, 'market_day', '2019-11-12', 2), (1, 'market_day', '2019-11-13', 2), (1, 'market_day', '2019-11-14', 2), (1, 'market_day', '2019-11-15', 2), (1, 'market_day', '2019-11-16', 2), (1, 'market_day', '2019-11-17', 2), (1, 'market_day', '2019-11-18', 2), (1, 'market_day', '2019-11-19', 2), (1, 'market_day', '2019-11-20', 2), (1, 'market_day', '2019-11-21', 1), (1, 'month_build', '', 1), (1, 'quota_manager', '', 1), (1, 'quota_series', '', 2), (1, 'rate', '', 0), (1, 'reference_category', '', 69), (1, 'risk_month', '', 2), (1, 'screener', '', 2), (1, 'series', '', 2), (1, 'series_break', '', 0), (1, 'series_day', '2019-10-16', 1), (1, 'series_day', '2019-10-17', 1), (1, 'series_day', '2019-10-18', 1), (1, 'series_day', '2019-10-19', 1), (1, 'series_day', '2019-10-20', 1), (1, 'series_day', '2019-10-21', 1), (1, 'series_day', '2019-10-22', 1), (1, 'series_day', '2019-10-23', 1), (1, 'series_day', '2019-10-24', 1), (1, 'series_day', '2019-10-25', 1), (1, 'series_day', '2019-10-26', 1), (1, 'series_day', '2019-10-27', 1), (1, 'series_day', '2019-10-28', 1), (1, 'series_day', '2019-10-29', 2), (1, 'series_day', '2019-10-30', 2), (1, 'series_day', '2019-10-31', 2), (1, 'series_day', '2019-11-01', 2), (1, 'series_day', '2019-11-02', 2), (1, 'series_day', '2019-11-03', 2), (1, 'series_day', '2019-11-04', 2), (1, 'series_day', '2019-11-05', 2), (1, 'series_day', '2019-11-06', 2), (1, 'series_day', '2019-11-07', 2), (1, 'series_day', '2019-11-08', 2), (1, 'series_day', '2019-11-09', 2), (1, 'series_day', '2019-11-10', 2), (1, 'series_day', '2019-11-11', 2), (1, 'series_day', '2019-11-12', 2), (1, 'series_day', '2019-11-13', 2), (1, 'series_day', '2019-11-14', 2), (1, 'series_day', '2019-11-15', 2), (1, 'series_day', '2019-11-16', 2), (1, 'series_day', '2019-11-17', 2), (1, 'series_day', '2019-11-18', 2), (1, 'series_day', '2019-11-19', 2), (1, 'series_day', '2019-11-20', 2), (1, 'series_day', '2019-11-21', 1), (1, 'series_label', '', 0), (1, 'series_latest', '', 2), (1, 'series_month', '', 2), (1, 'series_rename', '', 0), (1, 'series_return', '', 16), (1, 'tac_month', '', 1), (1, 'window_target', '', 8);
;
;
;
;
INSERT INTO day (`batch`, `date`, `rows`, `series`, `prior_series`, `present_series`, `void_series`, `prior_equity_clp`, `present_equity_clp`, `has_data`, `complete`) VALUES (1, '2019-10-16', 1, 1, 0, 0, 0, 0, 0, true, true), (1, '2019-10-17', 1, 1, 1, 1, 0, 66997, 66997, true, true), (1, '2019-10-18', 1, 1, 1, 1, 0, 22678753, 22678753, true, true), (1, '2019-10-19', 1, 1, 1, 1, 0, 22676027, 22676027, true, true), (1, '2019-10-20', 1, 1, 1, 1, 0, 22675101, 22675101, true, true), (1, '2019-10-21', 1, 1, 1, 1, 0, 22674175, 22674175, true, true), (1, '2019-10-22', 1, 1, 1, 1, 0, 22520206, 22520206, true, true), (1, '2019-10-23', 1, 1, 1, 1, 0, 22545286, 22545286, true, true), (1, '2019-10-24', 1, 1, 1, 1, 0, 22427020, 22427020, true, true), (1, '2019-10-25', 1, 1, 1, 1, 0, 22388758, 22388758, true, true), (1, '2019-10-26', 1, 1, 1, 1, 0, 22864524, 22864524, true, true), (1, '2019-10-27', 1, 1, 1, 1, 0, 22863591, 22863591, true, true), (1, '2019-10-28', 1, 1, 1, 1, 0, 22862658, 22862658, true, true), (1, '2019-10-29', 2, 2, 1, 1, 0, 29673643, 29673643, true, true), (1, '2019-10-30', 2, 2, 2, 2, 0, 124647307, 124647307, true, true), (1, '2019-10-31', 2, 2, 2, 2, 0, 126983736, 126983736, true, true), (1, '2019-11-01', 2, 2, 2, 2, 0, 126979954, 126979954, true, true), (1, '2019-11-02', 2, 2, 2, 2, 0, 126976172, 126976172, true, true), (1, '2019-11-03', 2, 2, 2, 2, 0, 126972390, 126972390, true, true), (1, '2019-11-04', 2, 2, 2, 2, 0, 126968608, 126968608, true, true), (1, '2019-11-05', 2, 2, 2, 2, 0, 128640613, 128640613, true, true), (1, '2019-11-06', 2, 2, 2, 2, 0, 131203704, 131203704, true, true), (1, '2019-11-07', 2, 2, 2, 2, 0, 130423886, 130423886, true, true), (1, '2019-11-08', 2, 2, 2, 2, 0, 131196206, 131196206, true, true), (1, '2019-11-09', 2, 2, 2, 2, 0, 132009014, 132009014, true, true), (1, '2019-11-10', 2, 2, 2, 2, 0, 132005043, 132005043, true, true), (1, '2019-11-11', 2, 2, 2, 2, 0, 132001072, 132001072, true, true), (1, '2019-11-12', 2, 2, 2, 2, 0, 133528177, 133528177, true, true), (1, '2019-11-13', 2, 2, 2, 2, 0, 136478361, 136478361, true, true), (1, '2019-11-14', 2, 2, 2, 2, 0, 139593452, 139593452, true, true), (1, '2019-11-15', 2, 2, 2, 2, 0, 143831515, 143831515, true, true), (1, '2019-11-16', 2, 2, 2, 2, 0, 162198919, 162198919, true, true), (1, '2019-11-17', 2, 2, 2, 2, 0, 162194085, 162194085, true, true), (1, '2019-11-18', 2, 2, 2, 2, 0, 162189252, 162189252, true, true), (1, '2019-11-19', 2, 2, 2, 2, 0, 253049165, 253049165, true, true), (1, '2019-11-20', 2, 2, 2, 2, 0, 266948206, 266948206, true, true), (1, '2019-11-21', 1, 1, 2, 1, 0, 272682152, 41551896, true, false);
INSERT INTO day_build (`date`, `build`) VALUES ('2019-10-16', 1), ('2019-10-17', 1), ('2019-10-18', 1), ('2019-10-19', 1), ('2019-10-20', 1), ('2019-10-21', 1), ('2019-10-22', 1), ('2019-10-23', 1), ('2019-10-24', 1), ('2019-10-25', 1), ('2019-10-26', 1), ('2019-10-27', 1), ('2019-10-28', 1), ('2019-10-29', 1), ('2019-10-30', 1), ('2019-10-31', 1), ('2019-11-01', 1), ('2019-11-02', 1), ('2019-11-03', 1), ('2019-11-04', 1), ('2019-11-05', 1), ('2019-11-06', 1), ('2019-11-07', 1), ('2019-11-08', 1), ('2019-11-09', 1), ('2019-11-10', 1), ('2019-11-11', 1), ('2019-11-12', 1), ('2019-11-13', 1), ('2019-11-14', 1), ('2019-11-15', 1), ('2019-11-16', 1), ('2019-11-17', 1), ('2019-11-18', 1), ('2019-11-19', 1), ('2019-11-20', 1), ('2019-11-21', 1);
;
;
;
;
;
;
;
;
;
;
;
;
;
INSERT INTO fact_quota (`run`, `serie`, `date`, `revision`, `source_sha256`, `void`, `source_line`, `manager_rut`, `manager`, `moneda`, `quota`, `equity`, `total_assets`, `units_outstanding`, `units_contributed`, `units_redeemed`, `shareholders`, `institutional`, `institutional_fund`, `pension_fund`, `invests_in_funds`, `fixed_fee`, `variable_fee`, `affected_expenses`, `unaffected_expenses`, `subscription_fee`, `redemption_fee`, `adjustment_factor`, `distribution_factor`) VALUES (9809, 'A', '2019-10-16', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 2, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 999.9552, 66997, 67000, 67, 67, 0, 1, 0, false, false, false, 3, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-10-17', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 3, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1009.6119, 22678753, 33575309, 22462.8423, 22395.8423, 0, 2, 0, false, false, false, 3, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-10-18', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 4, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1009.4905, 22676027, 33573509, 22462.8423, 0, 0, 2, 0, false, false, false, 926, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-10-19', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 5, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1009.4493, 22675101, 33573509, 22462.8423, 0, 0, 2, 0, false, false, false, 926, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-10-20', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 6, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1009.4081, 22674175, 33573509, 22462.8423, 0, 0, 2, 0, false, false, false, 926, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-10-21', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 7, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1002.5537, 22520206, 22523909, 22462.8423, 0, 0, 2, 0, false, false, false, 919, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-10-22', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 8, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1003.6702, 22545286, 22549909, 22462.8423, 0, 0, 2, 0, false, false, false, 920, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-10-23', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 9, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 998.4053, 22427020, 22432559, 22462.8423, 0, 0, 2, 0, false, false, false, 916, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-10-24', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 10, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 995.7225, 22388758, 22395210, 22484.9368, 22.0945, 0, 3, 0, false, false, false, 913, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-10-25', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 11, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 998.0248, 22864524, 22871892, 22909.7759, 424.8391, 0, 5, 0, false, false, false, 916, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-10-26', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 12, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 997.9841, 22863591, 22871892, 22909.7759, 0, 0, 5, 0, false, false, false, 933, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-10-27', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 13, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 997.9433, 22862658, 22871892, 22909.7759, 0, 0, 5, 0, false, false, false, 933, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-10-28', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 14, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 996.9192, 29673643, 29683809, 29765.3436, 6855.5677, 0, 6, 0, false, false, false, 932, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-10-29', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 15, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 996.1934, 30344040, 163274719, 30459.9879, 694.6443, 0, 7, 0, false, false, false, 1211, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-10-30', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 17, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1000.7811, 32244781, 175849416, 32219.6135, 1759.6256, 0, 9, 0, false, false, false, 1244, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-10-31', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 19, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1000.7403, 32243465, 351698834, 32219.6135, 0, 0, 9, 0, false, false, false, 1316, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-01', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 21, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1000.6994, 32242149, 351698834, 32219.6135, 0, 0, 9, 0, false, false, false, 1316, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-02', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 23, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1000.6586, 32240833, 351698834, 32219.6135, 0, 0, 9, 0, false, false, false, 1316, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-03', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 25, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1000.6177, 32239517, 351698834, 32219.6135, 0, 0, 9, 0, false, false, false, 1316, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-04', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 27, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1008.4686, 33166868, 314761070, 32888.3503, 668.7368, 0, 10, 0, false, false, false, 1326, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-05', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 29, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1012.1584, 35379220, 307093457, 34954.2324, 2065.8821, 0, 12, 0, false, false, false, 1359, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-06', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 31, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1006.1317, 35168561, 306317554, 34954.2324, 0, 0, 12, 0, false, false, false, 1436, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-07', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 33, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1006.2814, 35925295, 307923381, 35701.0414, 746.809, 0, 14, 0, false, false, false, 1436, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-08', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 35, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1012.4366, 36153940, 132897467, 35709.8321, 8.7907, 0, 15, 0, false, false, false, 1476, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-09', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 37, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1012.3952, 36152464, 132897467, 35709.8321, 0, 0, 15, 0, false, false, false, 1476, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-10', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 39, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1012.3539, 36150988, 132897467, 35709.8321, 0, 0, 15, 0, false, false, false, 1476, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-11', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 41, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1017.3058, 37207820, 133592247, 36574.862, 865.0299, 0, 16, 0, false, false, false, 1483, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-12', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 43, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1034.0877, 37821615, 143225391, 36574.862, 0, 0, 16, 0, false, false, false, 1544, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-13', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 45, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1037.9544, 37966339, 147662109, 36578.0413, 3.1793, 0, 16, 0, false, false, false, 1550, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-14', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 47, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1036.4522, 41261393, 145225493, 39810.2212, 3232.1799, 0, 16, 0, false, false, false, 1548, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-15', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 49, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1038.5434, 41344641, 168165760, 39810.2212, 0, 0, 16, 0, false, false, false, 1688, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-16', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 51, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1038.501, 41342953, 168165760, 39810.2212, 0, 0, 16, 0, false, false, false, 1688, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-17', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 53, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1038.4586, 41341265, 168165760, 39810.2212, 0, 0, 16, 0, false, false, false, 1688, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-18', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 55, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1026.898, 40882013, 291460307, 39811.1726, 0.9514, 0, 16, 0, false, false, false, 1669, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-19', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 57, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1033.214, 41133459, 299480583, 39811.1726, 0, 0, 16, 0, false, false, false, 1679, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-20', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 59, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1043.7245, 41551896, 360281406, 39811.1726, 0, 0, 16, 0, false, false, false, 1696, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'A', '2019-11-21', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 61, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1040.5423, 41425210, 365977264, 39811.1726, 0, 0, 16, 0, false, false, false, 1691, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-10-29', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 16, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 999.2868, 94303267, 163274719, 94370.575, 94370.575, 0, 1, 0, false, false, false, 2455, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-10-30', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 18, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1003.9035, 94738955, 175849416, 94370.575, 0, 0, 1, 0, false, false, false, 2466, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-10-31', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 20, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1003.8774, 94736489, 351698834, 94370.575, 0, 0, 1, 0, false, false, false, 2466, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-01', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 22, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1003.8513, 94734023, 351698834, 94370.575, 0, 0, 1, 0, false, false, false, 2466, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-02', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 24, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1003.8252, 94731557, 351698834, 94370.575, 0, 0, 1, 0, false, false, false, 2466, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-03', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 26, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1003.799, 94729091, 351698834, 94370.575, 0, 0, 1, 0, false, false, false, 2466, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-04', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 28, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1011.6898, 95473745, 314761070, 94370.575, 0, 0, 1, 0, false, false, false, 2485, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-05', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 30, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1015.4064, 95824484, 307093457, 94370.575, 0, 0, 1, 0, false, false, false, 2494, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-06', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 32, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1009.3753, 95255325, 306317554, 94370.575, 0, 0, 1, 0, false, false, false, 2479, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-07', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 34, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1009.5404, 95270911, 307923381, 94370.575, 0, 0, 1, 0, false, false, false, 2480, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-08', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 36, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1015.7305, 95855074, 132897467, 94370.575, 0, 0, 1, 0, false, false, false, 2495, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-09', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 38, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1015.7041, 95852579, 132897467, 94370.575, 0, 0, 1, 0, false, false, false, 2495, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-10', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 40, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1015.6777, 95850084, 132897467, 94370.575, 0, 0, 1, 0, false, false, false, 2495, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-11', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 42, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1020.6609, 96320357, 133592247, 94370.575, 0, 0, 1, 0, false, false, false, 2507, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-12', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 44, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1037.5135, 98656746, 143225391, 95089.6017, 719.0267, 0, 5, 0, false, false, false, 2548, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-13', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 46, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1041.4084, 101627113, 147662109, 97586.2208, 2496.6191, 0, 9, 0, false, false, false, 2577, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-14', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 48, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1039.9167, 102570122, 145225493, 98633.0191, 1046.7983, 0, 16, 0, false, false, false, 2641, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-15', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 50, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1042.0302, 120854278, 168165760, 115979.6296, 17346.6105, 0, 21, 0, false, false, false, 2675, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-16', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 52, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1042.0031, 120851132, 168165760, 115979.6296, 0, 0, 21, 0, false, false, false, 3146, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-17', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 54, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1041.976, 120847987, 168165760, 115979.6296, 0, 0, 21, 0, false, false, false, 3145, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-18', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 56, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1030.3915, 212167152, 291460307, 205909.2633, 89929.6337, 0, 29, 0, false, false, false, 3110, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-19', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 58, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1036.7443, 225814747, 299480583, 217811.4267, 11902.1634, 0, 33, 0, false, false, false, 5556, 0, 0, 0, 0, 0, NULL, NULL), (9809, 'B', '2019-11-20', '2019-12-01 00:00:00.000', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', false, 60, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '$$', 1047.3062, 231130256, 360281406, 220690.2409, 2878.8142, 0, 33, 0, false, false, false, 5937, 0, 0, 0, 0, 0, NULL, NULL);
;
;
;
;
;
;
;
;
;
;
INSERT INTO fund (`batch`, `fund_id`, `run`, `manager_id`, `manager`, `vehicle`, `name`, `short_name`, `kind`, `category`, `currency`, `started`, `ended`, `current`) VALUES (1, 1740538086, '9809-4', 1208161246, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', 'mutual_fund', '9809-4', NULL, NULL, NULL, 'PESOS', NULL, NULL, true);
INSERT INTO goose_db_version (`version_id`, `is_applied`, `date`, `tstamp`) VALUES (0, 1, '2026-11-23', '2026-11-23 06:04:51'), (1, 1, '2026-11-23', '2026-11-23 06:04:51'), (2, 1, '2026-11-23', '2026-11-23 06:04:51'), (3, 1, '2026-11-23', '2026-11-23 06:04:51'), (4, 1, '2026-11-23', '2026-11-23 06:04:51'), (6, 1, '2026-11-23', '2026-11-23 06:04:51'), (7, 1, '2026-11-23', '2026-11-23 06:04:51'), (8, 1, '2026-11-23', '2026-11-23 06:04:51'), (9, 1, '2026-11-23', '2026-11-23 06:04:51'), (10, 1, '2026-11-23', '2026-11-23 06:04:51'), (14, 1, '2026-11-23', '2026-11-23 06:04:51'), (16, 1, '2026-11-23', '2026-11-23 06:04:51'), (17, 1, '2026-11-23', '2026-11-23 06:04:52'), (18, 1, '2026-11-23', '2026-11-23 06:04:52'), (19, 1, '2026-11-23', '2026-11-23 06:04:52'), (20, 1, '2026-11-23', '2026-11-23 06:04:52'), (21, 1, '2026-11-23', '2026-11-23 06:04:52'), (22, 1, '2026-11-23', '2026-11-23 06:04:52'), (23, 1, '2026-11-23', '2026-11-23 06:04:52'), (24, 1, '2026-11-23', '2026-11-23 06:04:52');
;
INSERT INTO manager (`batch`, `manager_id`, `rut`, `name`, `mutual_funds`, `investment_funds`, `etfs`) VALUES (1, 1208161246, '77057272-K', 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', 0, 0, 0);
INSERT INTO manager_day (`date`, `manager_rut`, `currency`, `build`, `equity`, `shareholders`, `series`, `runs`) VALUES ('2019-10-16', 77057272, 'PESOS', 1, 66997, 1, 1, [9809]), ('2019-10-17', 77057272, 'PESOS', 1, 22678753, 2, 1, [9809]), ('2019-10-18', 77057272, 'PESOS', 1, 22676027, 2, 1, [9809]), ('2019-10-19', 77057272, 'PESOS', 1, 22675101, 2, 1, [9809]), ('2019-10-20', 77057272, 'PESOS', 1, 22674175, 2, 1, [9809]), ('2019-10-21', 77057272, 'PESOS', 1, 22520206, 2, 1, [9809]), ('2019-10-22', 77057272, 'PESOS', 1, 22545286, 2, 1, [9809]), ('2019-10-23', 77057272, 'PESOS', 1, 22427020, 2, 1, [9809]), ('2019-10-24', 77057272, 'PESOS', 1, 22388758, 3, 1, [9809]), ('2019-10-25', 77057272, 'PESOS', 1, 22864524, 5, 1, [9809]), ('2019-10-26', 77057272, 'PESOS', 1, 22863591, 5, 1, [9809]), ('2019-10-27', 77057272, 'PESOS', 1, 22862658, 5, 1, [9809]), ('2019-10-28', 77057272, 'PESOS', 1, 29673643, 6, 1, [9809]), ('2019-10-29', 77057272, 'PESOS', 1, 124647307, 8, 2, [9809]), ('2019-10-30', 77057272, 'PESOS', 1, 126983736, 10, 2, [9809]), ('2019-10-31', 77057272, 'PESOS', 1, 126979954, 10, 2, [9809]), ('2019-11-01', 77057272, 'PESOS', 1, 126976172, 10, 2, [9809]), ('2019-11-02', 77057272, 'PESOS', 1, 126972390, 10, 2, [9809]), ('2019-11-03', 77057272, 'PESOS', 1, 126968608, 10, 2, [9809]), ('2019-11-04', 77057272, 'PESOS', 1, 128640613, 11, 2, [9809]), ('2019-11-05', 77057272, 'PESOS', 1, 131203704, 13, 2, [9809]), ('2019-11-06', 77057272, 'PESOS', 1, 130423886, 13, 2, [9809]), ('2019-11-07', 77057272, 'PESOS', 1, 131196206, 15, 2, [9809]), ('2019-11-08', 77057272, 'PESOS', 1, 132009014, 16, 2, [9809]), ('2019-11-09', 77057272, 'PESOS', 1, 132005043, 16, 2, [9809]), ('2019-11-10', 77057272, 'PESOS', 1, 132001072, 16, 2, [9809]), ('2019-11-11', 77057272, 'PESOS', 1, 133528177, 17, 2, [9809]), ('2019-11-12', 77057272, 'PESOS', 1, 136478361, 21, 2, [9809]), ('2019-11-13', 77057272, 'PESOS', 1, 139593452, 25, 2, [9809]), ('2019-11-14', 77057272, 'PESOS', 1, 143831515, 32, 2, [9809]), ('2019-11-15', 77057272, 'PESOS', 1, 162198919, 37, 2, [9809]), ('2019-11-16', 77057272, 'PESOS', 1, 162194085, 37, 2, [9809]), ('2019-11-17', 77057272, 'PESOS', 1, 162189252, 37, 2, [9809]), ('2019-11-18', 77057272, 'PESOS', 1, 253049165, 45, 2, [9809]), ('2019-11-19', 77057272, 'PESOS', 1, 266948206, 49, 2, [9809]), ('2019-11-20', 77057272, 'PESOS', 1, 272682152, 49, 2, [9809]), ('2019-11-21', 77057272, 'PESOS', 1, 272555466, 49, 2, [9809]);
INSERT INTO manifest (`dataset`, `sha256`, `revision`, `file`, `first_date`, `last_date`, `rows`, `keys`, `rejected`) VALUES ('cartola', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', '2019-12-01 00:00:00.000', 'cartola.txt', '2019-10-16', '2019-11-21', 60, 60, 0);
INSERT INTO market_build (`date`, `build`) VALUES ('2019-10-16', 1), ('2019-10-17', 1), ('2019-10-18', 1), ('2019-10-19', 1), ('2019-10-20', 1), ('2019-10-21', 1), ('2019-10-22', 1), ('2019-10-23', 1), ('2019-10-24', 1), ('2019-10-25', 1), ('2019-10-26', 1), ('2019-10-27', 1), ('2019-10-28', 1), ('2019-10-29', 1), ('2019-10-30', 1), ('2019-10-31', 1), ('2019-11-01', 1), ('2019-11-02', 1), ('2019-11-03', 1), ('2019-11-04', 1), ('2019-11-05', 1), ('2019-11-06', 1), ('2019-11-07', 1), ('2019-11-08', 1), ('2019-11-09', 1), ('2019-11-10', 1), ('2019-11-11', 1), ('2019-11-12', 1), ('2019-11-13', 1), ('2019-11-14', 1), ('2019-11-15', 1), ('2019-11-16', 1), ('2019-11-17', 1), ('2019-11-18', 1), ('2019-11-19', 1), ('2019-11-20', 1), ('2019-11-21', 1);
INSERT INTO market_day (`date`, `series_id`, `stands_until`, `build`, `manager_rut`, `currency`, `price`, `equity`, `shareholders`, `flow`, `previous_date`, `previous_equity`, `daily_change`, `month_date`, `month_equity`, `monthly_change`, `family_rar`, `family_display`, `category`, `classified_later`, `daily_outlier`, `monthly_outlier`, `spike`, `spikes`, `unspikes`) VALUES ('2019-10-16', 3694159972, '2019-10-16', 1, 77057272, 'PESOS', 999.9552, 66997, 1, 66996.9984, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-10-17', 3694159972, '2019-10-17', 1, 77057272, 'PESOS', 1009.6119, 22678753, 2, 22611108.89660337, '2019-10-16', 66997, 0.9657132639542265, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-10-18', 3694159972, '2019-10-18', 1, 77057272, 'PESOS', 1009.4905, 22676027, 2, 0, '2019-10-17', 22678753, -0.012024422453815742, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-10-19', 3694159972, '2019-10-19', 1, 77057272, 'PESOS', 1009.4493, 22675101, 2, 0, '2019-10-18', 22676027, -0.0040812667380207834, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-10-20', 3694159972, '2019-10-20', 1, 77057272, 'PESOS', 1009.4081, 22674175, 2, 0, '2019-10-19', 22675101, -0.00408143331220856, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-10-21', 3694159972, '2019-10-21', 1, 77057272, 'PESOS', 1002.5537, 22520206, 2, 0, '2019-10-20', 22674175, -0.679051416369647, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-10-22', 3694159972, '2019-10-22', 1, 77057272, 'PESOS', 1003.6702, 22545286, 2, 0, '2019-10-21', 22520206, 0.1113656056528356, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-10-23', 3694159972, '2019-10-23', 1, 77057272, 'PESOS', 998.4053, 22427020, 2, 0, '2019-10-22', 22545286, -0.5245647424821476, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-10-24', 3694159972, '2019-10-24', 1, 77057272, 'PESOS', 995.7225, 22388758, 3, 21999.99077625, '2019-10-23', 22427020, -0.2687085094600361, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-10-25', 3694159972, '2019-10-25', 1, 77057272, 'PESOS', 998.0248, 22864524, 5, 423999.95780967997, '2019-10-24', 22388758, 0.23121903944121058, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-10-26', 3694159972, '2019-10-26', 1, 77057272, 'PESOS', 997.9841, 22863591, 5, 0, '2019-10-25', 22864524, -0.004078054974188117, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-10-27', 3694159972, '2019-10-27', 1, 77057272, 'PESOS', 997.9433, 22862658, 5, 0, '2019-10-26', 22863591, -0.004088241486011057, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-10-28', 3694159972, '2019-10-28', 1, 77057272, 'PESOS', 996.9192, 29673643, 6, 6834447.06702984, '2019-10-27', 22862658, -0.10262106073560817, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-10-29', 1161378270, '2019-10-29', 1, 77057272, 'PESOS', 999.2868, 94303267, 1, 94303269.90591, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-10-29', 3694159972, '2019-10-29', 1, 77057272, 'PESOS', 996.1934, 30344040, 7, 692000.06700762, '2019-10-28', 29673643, -0.07280429547349421, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-10-30', 1161378270, '2019-10-30', 1, 77057272, 'PESOS', 1003.9035, 94738955, 1, 0, '2019-10-29', 94303267, 0.46199949804199836, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-10-30', 3694159972, '2019-10-30', 1, 77057272, 'PESOS', 1000.7811, 32244781, 9, 1761000.04355616, '2019-10-29', 30344040, 0.46052302695440694, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-10-31', 1161378270, '2019-10-31', 1, 77057272, 'PESOS', 1003.8774, 94736489, 1, 0, '2019-10-30', 94738955, -0.0025998514797564987, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-10-31', 3694159972, '2019-10-31', 1, 77057272, 'PESOS', 1000.7403, 32243465, 9, 0, '2019-10-30', 32244781, -0.004076815599329819, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-01', 1161378270, '2019-11-01', 1, 77057272, 'PESOS', 1003.8513, 94734023, 1, 0, '2019-10-31', 94736489, -0.0025999190737757694, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-01', 3694159972, '2019-11-01', 1, 77057272, 'PESOS', 1000.6994, 32242149, 9, 0, '2019-10-31', 32243465, -0.00408697441285355, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-02', 1161378270, '2019-11-02', 1, 77057272, 'PESOS', 1003.8252, 94731557, 1, 0, '2019-11-01', 94734023, -0.0025999866713366515, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-02', 3694159972, '2019-11-02', 1, 77057272, 'PESOS', 1000.6586, 32240833, 9, 0, '2019-11-01', 32242149, -0.0040771484423829385, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-03', 1161378270, '2019-11-03', 1, 77057272, 'PESOS', 1003.799, 94729091, 1, 0, '2019-11-02', 94731557, -0.0026100161661601895, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-03', 3694159972, '2019-11-03', 1, 77057272, 'PESOS', 1000.6177, 32239517, 9, 0, '2019-11-02', 32240833, -0.00408730809888791, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-04', 1161378270, '2019-11-04', 1, 77057272, 'PESOS', 1011.6898, 95473745, 1, 0, '2019-11-03', 94729091, 0.78609363029849, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-04', 3694159972, '2019-11-04', 1, 77057272, 'PESOS', 1008.4686, 33166868, 10, 674400.06446448, '2019-11-03', 32239517, 0.7846053492757576, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-05', 1161378270, '2019-11-05', 1, 77057272, 'PESOS', 1015.4064, 95824484, 1, 0, '2019-11-04', 95473745, 0.36736556996026515, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-05', 3694159972, '2019-11-05', 1, 77057272, 'PESOS', 1012.1584, 35379220, 12, 2090999.9209246398, '2019-11-04', 33166868, 0.3658814959632828, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-06', 1161378270, '2019-11-06', 1, 77057272, 'PESOS', 1009.3753, 95255325, 1, 0, '2019-11-05', 95824484, -0.5939592265717386, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-06', 3694159972, '2019-11-06', 1, 77057272, 'PESOS', 1006.1317, 35168561, 12, 0, '2019-11-05', 35379220, -0.5954305175948749, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-07', 1161378270, '2019-11-07', 1, 77057272, 'PESOS', 1009.5404, 95270911, 1, 0, '2019-11-06', 95255325, 0.016356651485316398, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-07', 3694159972, '2019-11-07', 1, 77057272, 'PESOS', 1006.2814, 35925295, 14, 751500.0060526, '2019-11-06', 35168561, 0.01487876785910558, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-08', 1161378270, '2019-11-08', 1, 77057272, 'PESOS', 1015.7305, 95855074, 1, 0, '2019-11-07', 95270911, 0.6131602063671693, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-08', 3694159972, '2019-11-08', 1, 77057272, 'PESOS', 1012.4366, 36153940, 15, 8900.026419619999, '2019-11-07', 35925295, 0.6116778070229589, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-09', 1161378270, '2019-11-09', 1, 77057272, 'PESOS', 1015.7041, 95852579, 1, 0, '2019-11-08', 95855074, -0.0025991146273551813, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-09', 3694159972, '2019-11-09', 1, 77057272, 'PESOS', 1012.3952, 36152464, 15, 0, '2019-11-08', 36153940, -0.004089144940033762, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-10', 1161378270, '2019-11-10', 1, 77057272, 'PESOS', 1015.6777, 95850084, 1, 0, '2019-11-09', 95852579, -0.00259918218308286, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-10', 3694159972, '2019-11-10', 1, 77057272, 'PESOS', 1012.3539, 36150988, 15, 0, '2019-11-09', 36152464, -0.004079434592352271, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-11', 1161378270, '2019-11-11', 1, 77057272, 'PESOS', 1020.6609, 96320357, 1, 0, '2019-11-10', 95850084, 0.4906280801478591, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-11', 3694159972, '2019-11-11', 1, 77057272, 'PESOS', 1017.3058, 37207820, 16, 879999.93444342, '2019-11-10', 36150988, 0.4891471253284152, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-12', 1161378270, '2019-11-12', 1, 77057272, 'PESOS', 1037.5135, 98656746, 5, 745999.90811045, '2019-11-11', 96320357, 1.6511458408958513, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-12', 3694159972, '2019-11-12', 1, 77057272, 'PESOS', 1034.0877, 37821615, 16, 0, '2019-11-11', 37207820, 1.649641631847576, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-13', 1161378270, '2019-11-13', 1, 77057272, 'PESOS', 1041.4084, 101627113, 9, 2600000.10234044, '2019-11-12', 98656746, 0.3754071633766731, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-13', 3694159972, '2019-11-13', 1, 77057272, 'PESOS', 1037.9544, 37966339, 16, 3299.96842392, '2019-11-12', 37821615, 0.37392379775913476, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-14', 1161378270, '2019-11-14', 1, 77057272, 'PESOS', 1039.9167, 102570122, 16, 1088583.0337016098, '2019-11-13', 101627113, -0.14323871403381094, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-14', 3694159972, '2019-11-14', 1, 77057272, 'PESOS', 1036.4522, 41261393, 16, 3349999.96815078, '2019-11-13', 37966339, -0.14472697451834993, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-15', 1161378270, '2019-11-15', 1, 77057272, 'PESOS', 1042.0302, 120854278, 21, 18075692.008637097, '2019-11-14', 102570122, 0.2032374323827968, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-15', 3694159972, '2019-11-15', 1, 77057272, 'PESOS', 1038.5434, 41344641, 16, 0, '2019-11-14', 41261393, 0.20176521406389814, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-16', 1161378270, '2019-11-16', 1, 77057272, 'PESOS', 1042.0031, 120851132, 21, 0, '2019-11-15', 120854278, -0.0026006923791621617, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-16', 3694159972, '2019-11-16', 1, 77057272, 'PESOS', 1038.501, 41342953, 16, 0, '2019-11-15', 41344641, -0.004082641129876663, '2019-10-16', 66997, 3.8547526929206377, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-17', 1161378270, '2019-11-17', 1, 77057272, 'PESOS', 1041.976, 120847987, 21, 0, '2019-11-16', 120851132, -0.0026007600169131173, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-17', 3694159972, '2019-11-17', 1, 77057272, 'PESOS', 1038.4586, 41341265, 16, 0, '2019-11-16', 41342953, -0.004082807816274681, '2019-10-17', 22678753, 2.857206813826174, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-18', 1161378270, '2019-11-18', 1, 77057272, 'PESOS', 1030.3915, 212167152, 29, 92662730.16259356, '2019-11-17', 120847987, -1.1117818452632489, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-18', 3694159972, '2019-11-18', 1, 77057272, 'PESOS', 1026.898, 40882013, 16, 976.9907572, '2019-11-17', 41341265, -1.1132461130371474, '2019-10-18', 22676027, 1.7243847267507606, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-19', 1161378270, '2019-11-19', 1, 77057272, 'PESOS', 1036.7443, 225814747, 33, 12339500.06261862, '2019-11-18', 212167152, 0.616542353076488, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-19', 3694159972, '2019-11-19', 1, 77057272, 'PESOS', 1033.214, 41133459, 16, 0, '2019-11-18', 40882013, 0.6150562178522057, '2019-10-19', 22675101, 2.3542242289929627, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-20', 1161378270, '2019-11-27', 1, 77057272, 'PESOS', 1047.3062, 231130256, 33, 3014999.9603080396, '2019-11-19', 225814747, 1.018756505340801, NULL, NULL, NULL, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-20', 3694159972, '2019-11-20', 1, 77057272, 'PESOS', 1043.7245, 41551896, 16, 0, '2019-11-19', 41133459, 1.017262638717642, '2019-10-20', 22674175, 3.3996556992162086, NULL, NULL, NULL, false, '', '', false, false, false), ('2019-11-21', 3694159972, '2019-11-28', 1, 77057272, 'PESOS', 1040.5423, 41425210, 16, 0, '2019-11-20', 41551896, -0.3048888859081056, '2019-10-21', 22520206, 3.78918356193787, NULL, NULL, NULL, false, '', '', false, false, false);
INSERT INTO month_build (`batch`, `month`) VALUES (1, '2019-10-31');
;
INSERT INTO quota_manager (`batch`, `run`, `manager_rut`, `manager`, `stated_on`) VALUES (1, 9809, 77057272, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '2019-11-21');
INSERT INTO quota_series (`batch`, `run`, `serie`) VALUES (1, 9809, 'A'), (1, 9809, 'B');
;
INSERT INTO reference_category (`vocabulary`, `name`, `category`) VALUES ('aafm', 'Accionario America Latina', 'equity'), ('aafm', 'Accionario Asia Emergente', 'equity'), ('aafm', 'Accionario Asia Pacifico', 'equity'), ('aafm', 'Accionario Brasil', 'equity'), ('aafm', 'Accionario Desarrollado', 'equity'), ('aafm', 'Accionario EEUU', 'equity'), ('aafm', 'Accionario Emergente', 'equity'), ('aafm', 'Accionario Europa Desarrollado', 'equity'), ('aafm', 'Accionario Europa Emergente', 'equity'), ('aafm', 'Accionario Nacional Large CAP', 'equity'), ('aafm', 'Accionario Nacional Otros', 'equity'), ('aafm', 'Accionario Pais', 'equity'), ('aafm', 'Accionario Países MILA', 'equity'), ('aafm', 'Accionario Sectorial', 'equity'), ('aafm', 'Balanceado Agresivo', 'balanced'), ('aafm', 'Balanceado Conservador', 'balanced'), ('aafm', 'Balanceado Moderado', 'balanced'), ('aafm', 'Estructurado Accionario', 'structured'), ('aafm', 'Estructurado No Accionario', 'structured'), ('aafm', 'Fondos de Deuda < 365 Dias Internacional', 'fixed_income'), ('aafm', 'Fondos de Deuda < 365 Dias Nacional en UF', 'fixed_income'), ('aafm', 'Fondos de Deuda < 365 Dias Nacional en pesos', 'fixed_income'), ('aafm', 'Fondos de Deuda < 90 Dias Internacional, Dolar', 'money_market'), ('aafm', 'Fondos de Deuda < 90 Dias Nacional', 'money_market'), ('aafm', 'Fondos de Deuda > 365 Dias Internacional, Mercados Emergentes', 'fixed_income'), ('aafm', 'Fondos de Deuda > 365 Dias Internacional, Mercados Internacionales', 'fixed_income'), ('aafm', 'Fondos de Deuda > 365 Dias Nacional, Inversion UF > 3 años y =<5', 'fixed_income'), ('aafm', 'Fondos de Deuda > 365 Dias Nacional, Inversion en UF > 5 años', 'fixed_income'), ('aafm', 'Fondos de Deuda > 365 Dias Nacional, Inversión en Pesos', 'fixed_income'), ('aafm', 'Fondos de Deuda > 365 Dias Nacional, Inversión en UF < 3 años', 'fixed_income'), ('aafm', 'Fondos de Deuda > 365 Dias Orig. Flex', 'fixed_income'), ('aafm', 'Inversionistas Calificados Accionario Internacional', 'equity'), ('aafm', 'Inversionistas Calificados Accionario Nacional', 'equity'), ('aafm', 'Inversionistas Calificados Títulos de Deuda', 'fixed_income'), ('family_display', 'Accionario internacional', 'equity'), ('family_display', 'Accionario nacional', 'equity'), ('family_display', 'Balanceado agresivo', 'balanced'), ('family_display', 'Balanceado conservador', 'balanced'), ('family_display', 'Balanceado moderado', 'balanced'), ('family_display', 'Deuda < 365 dias', 'fixed_income'), ('family_display', 'Deuda < 90 dias en dolar', 'money_market'), ('family_display', 'Deuda < 90 dias en pesos', 'money_market'), ('family_display', 'Deuda > 365 dias', 'fixed_income'), ('family_display', 'Estructurados', 'structured'), ('family_display', 'Otros', 'other'), ('family_rar', 'Accionario america latina', 'equity'), ('family_rar', 'Accionario asia emergente', 'equity'), ('family_rar', 'Accionario desarrollado', 'equity'), ('family_rar', 'Accionario eeuu', 'equity'), ('family_rar', 'Accionario emergente', 'equity'), ('family_rar', 'Accionario europa desarrollado', 'equity'), ('family_rar', 'Accionario nacional', 'equity'), ('family_rar', 'Balanceado agresivo', 'balanced'), ('family_rar', 'Balanceado conservador', 'balanced'), ('family_rar', 'Balanceado moderado', 'balanced'), ('family_rar', 'Deuda < 365 dias internacional', 'fixed_income'), ('family_rar', 'Deuda < 365 dias nacional en pesos', 'fixed_income'), ('family_rar', 'Deuda < 365 dias nacional en uf', 'fixed_income'), ('family_rar', 'Deuda < 90 dias internacional dolar', 'money_market'), ('family_rar', 'Deuda < 90 dias nacional', 'money_market'), ('family_rar', 'Deuda > 365 dias internacional mercados emergentes', 'fixed_income'), ('family_rar', 'Deuda > 365 dias internacional mercados emergentes dolar', 'fixed_income'), ('family_rar', 'Deuda > 365 dias internacional mercados internacionales', 'fixed_income'), ('family_rar', 'Deuda > 365 dias internacional mercados internacionales dolar', 'fixed_income'), ('family_rar', 'Deuda > 365 dias nacional inversion en pesos', 'fixed_income'), ('family_rar', 'Deuda > 365 dias nacional inversion en uf < 3 anos', 'fixed_income'), ('family_rar', 'Deuda > 365 dias nacional inversion en uf > 5 anos', 'fixed_income'), ('family_rar', 'Deuda > 365 dias nacional inversion uf > 3 anos y =<5', 'fixed_income'), ('family_rar', 'Deuda > 365 dias orig. flex', 'fixed_income');
INSERT INTO registry (`kind`, `id`, `key`, `run`, `serie`, `batch`) VALUES ('fund', 1740538086, 'fund:9809-4', 9809, '', 1), ('manager', 1208161246, 'agf:77057272-K', 77057272, '', 1), ('series', 1161378270, 'series:9809-4:B', 9809, 'B', 1), ('series', 3694159972, 'series:9809-4:A', 9809, 'A', 1);
INSERT INTO registry_copy (`kind`, `id`, `key`, `run`, `serie`, `batch`) VALUES ('fund', 1740538086, 'fund:9809-4', 9809, '', 1), ('manager', 1208161246, 'agf:77057272-K', 77057272, '', 1), ('series', 1161378270, 'series:9809-4:B', 9809, 'B', 1), ('series', 3694159972, 'series:9809-4:A', 9809, 'A', 1);
;
;
INSERT INTO risk_month (`batch`, `series_id`, `month`, `volatility_monthly_12m`, `volatility_monthly_36m`, `volatility_annualized_12m`, `volatility_annualized_36m`, `max_drawdown_36m`, `risk_score`, `risk_level`, `downside_deviation_36m`, `var_95_1m`, `beta_36m`, `tracking_error_36m`, `method_version`) VALUES (1, 1161378270, '2019-10-31', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'risk_v1'), (1, 3694159972, '2019-10-31', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'risk_v1');
INSERT INTO screener (`batch`, `series_id`, `fund_id`, `run`, `serie`, `manager_id`, `manager`, `fund`, `category`, `family_rar`, `family_display`, `family_studies`, `class_dated`, `classification_date`, `class_tac`, `currency`, `tac`, `tac_kind`, `tac_date`, `price`, `price_date`, `daily_change`, `monthly_change`, `equity`, `previous_equity`, `month_equity`, `shareholders`, `spheres`, `spheres_reason`, `spheres_date`, `spheres_loaded_at`, `spheres_sha256`, `return_1m`, `return_3m`, `return_6m`, `return_1y`, `return_ytd`, `return_3y_ann`, `return_5y_ann`, `return_last_closed_month`, `currency_last_closed_month`, `reason_1m`, `reason_3m`, `reason_6m`, `reason_1y`, `reason_ytd`, `reason_3y_ann`, `reason_5y_ann`, `reason_last_closed_month`, `start_1m`, `start_3m`, `start_6m`, `start_1y`, `start_ytd`, `start_3y_ann`, `start_5y_ann`, `start_last_closed_month`, `end_1m`, `end_3m`, `end_6m`, `end_1y`, `end_ytd`, `end_3y_ann`, `end_5y_ann`, `end_last_closed_month`, `volatility_monthly_12m`, `volatility_monthly_36m`, `volatility_annualized_12m`, `volatility_annualized_36m`, `max_drawdown_36m`, `risk_score`, `risk_level`, `risk_date`, `risk_method_version`, `previous_serie`, `current_serie`, `first_current_date`, `alias_ids`) VALUES (1, 1161378270, 1740538086, '9809-4', 'B', 1208161246, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '9809-4', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'PESOS', NULL, NULL, NULL, 1047.3062, '2019-11-20', 1.018756505340801, NULL, 231130256, 225814747, NULL, 33, NULL, 'source_unavailable', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'missing_start_quote', 'missing_start_quote', 'missing_start_quote', 'missing_start_quote', 'missing_start_quote', 'missing_start_quote', 'missing_start_quote', 'missing_start_quote', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2019-11-20', '2019-11-20', '2019-11-20', '2019-11-20', '2019-11-20', '2019-11-20', '2019-11-20', '2019-10-31', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2019-10-31', 'risk_v1', NULL, NULL, NULL, []), (1, 3694159972, 1740538086, '9809-4', 'A', 1208161246, 'SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A.', '9809-4', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'PESOS', 0.014984978640905542, 'computed', '2019-10-31', 1043.7245, '2019-11-20', 1.017262638717642, 3.3996556992162086, 41551896, 41133459, 22674175, 16, NULL, 'source_unavailable', NULL, NULL, NULL, 0.033996556992162086, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'missing_start_quote', 'missing_start_quote', 'missing_start_quote', 'missing_start_quote', 'missing_start_quote', 'missing_start_quote', 'missing_start_quote', '2019-10-20', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2019-11-20', '2019-11-20', '2019-11-20', '2019-11-20', '2019-11-20', '2019-11-20', '2019-11-20', '2019-10-31', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2019-10-31', 'risk_v1', NULL, NULL, NULL, []);
INSERT INTO series (`batch`, `series_id`, `fund_id`, `run`, `serie`, `currency`, `category`, `family_rar`, `family_display`, `family_studies`, `class_dated`, `classification_date`, `class_tac`, `tac`, `tac_kind`, `tac_date`, `spheres`, `spheres_reason`, `spheres_date`, `spheres_loaded_at`, `spheres_sha256`, `apv`, `first_date`, `last_date`, `current`, `previous_serie`, `current_serie`, `first_current_date`, `alias_ids`, `last_family`, `last_category`) VALUES (1, 1161378270, 1740538086, '9809-4', 'B', 'PESOS', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'source_unavailable', NULL, NULL, NULL, NULL, '2019-10-29', '2019-11-20', true, NULL, NULL, NULL, [], NULL, NULL), (1, 3694159972, 1740538086, '9809-4', 'A', 'PESOS', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0.014984978640905542, 'computed', '2019-10-31', NULL, 'source_unavailable', NULL, NULL, NULL, NULL, '2019-10-16', '2019-11-20', true, NULL, NULL, NULL, [], NULL, NULL);
;
INSERT INTO series_day (`series_id`, `date`, `build`, `quota`, `currency`, `equity`, `shareholders`, `manager_rut`, `units_outstanding`, `units_contributed`, `units_redeemed`, `costs`, `adjustment_factor`, `distribution_factor`) VALUES (1161378270, '2019-10-29', 1, 999.2868, 'PESOS', 94303267, 1, 77057272, 94370.575, 94370.575, 0, 2455, NULL, NULL), (1161378270, '2019-10-30', 1, 1003.9035, 'PESOS', 94738955, 1, 77057272, 94370.575, 0, 0, 2466, NULL, NULL), (1161378270, '2019-10-31', 1, 1003.8774, 'PESOS', 94736489, 1, 77057272, 94370.575, 0, 0, 2466, NULL, NULL), (1161378270, '2019-11-01', 1, 1003.8513, 'PESOS', 94734023, 1, 77057272, 94370.575, 0, 0, 2466, NULL, NULL), (1161378270, '2019-11-02', 1, 1003.8252, 'PESOS', 94731557, 1, 77057272, 94370.575, 0, 0, 2466, NULL, NULL), (1161378270, '2019-11-03', 1, 1003.799, 'PESOS', 94729091, 1, 77057272, 94370.575, 0, 0, 2466, NULL, NULL), (1161378270, '2019-11-04', 1, 1011.6898, 'PESOS', 95473745, 1, 77057272, 94370.575, 0, 0, 2485, NULL, NULL), (1161378270, '2019-11-05', 1, 1015.4064, 'PESOS', 95824484, 1, 77057272, 94370.575, 0, 0, 2494, NULL, NULL), (1161378270, '2019-11-06', 1, 1009.3753, 'PESOS', 95255325, 1, 77057272, 94370.575, 0, 0, 2479, NULL, NULL), (1161378270, '2019-11-07', 1, 1009.5404, 'PESOS', 95270911, 1, 77057272, 94370.575, 0, 0, 2480, NULL, NULL), (1161378270, '2019-11-08', 1, 1015.7305, 'PESOS', 95855074, 1, 77057272, 94370.575, 0, 0, 2495, NULL, NULL), (1161378270, '2019-11-09', 1, 1015.7041, 'PESOS', 95852579, 1, 77057272, 94370.575, 0, 0, 2495, NULL, NULL), (1161378270, '2019-11-10', 1, 1015.6777, 'PESOS', 95850084, 1, 77057272, 94370.575, 0, 0, 2495, NULL, NULL), (1161378270, '2019-11-11', 1, 1020.6609, 'PESOS', 96320357, 1, 77057272, 94370.575, 0, 0, 2507, NULL, NULL), (1161378270, '2019-11-12', 1, 1037.5135, 'PESOS', 98656746, 5, 77057272, 95089.6017, 719.0267, 0, 2548, NULL, NULL), (1161378270, '2019-11-13', 1, 1041.4084, 'PESOS', 101627113, 9, 77057272, 97586.2208, 2496.6191, 0, 2577, NULL, NULL), (1161378270, '2019-11-14', 1, 1039.9167, 'PESOS', 102570122, 16, 77057272, 98633.0191, 1046.7983, 0, 2641, NULL, NULL), (1161378270, '2019-11-15', 1, 1042.0302, 'PESOS', 120854278, 21, 77057272, 115979.6296, 17346.6105, 0, 2675, NULL, NULL), (1161378270, '2019-11-16', 1, 1042.0031, 'PESOS', 120851132, 21, 77057272, 115979.6296, 0, 0, 3146, NULL, NULL), (1161378270, '2019-11-17', 1, 1041.976, 'PESOS', 120847987, 21, 77057272, 115979.6296, 0, 0, 3145, NULL, NULL), (1161378270, '2019-11-18', 1, 1030.3915, 'PESOS', 212167152, 29, 77057272, 205909.2633, 89929.6337, 0, 3110, NULL, NULL), (1161378270, '2019-11-19', 1, 1036.7443, 'PESOS', 225814747, 33, 77057272, 217811.4267, 11902.1634, 0, 5556, NULL, NULL), (1161378270, '2019-11-20', 1, 1047.3062, 'PESOS', 231130256, 33, 77057272, 220690.2409, 2878.8142, 0, 5937, NULL, NULL), (3694159972, '2019-10-16', 1, 999.9552, 'PESOS', 66997, 1, 77057272, 67, 67, 0, 3, NULL, NULL), (3694159972, '2019-10-17', 1, 1009.6119, 'PESOS', 22678753, 2, 77057272, 22462.8423, 22395.8423, 0, 3, NULL, NULL), (3694159972, '2019-10-18', 1, 1009.4905, 'PESOS', 22676027, 2, 77057272, 22462.8423, 0, 0, 926, NULL, NULL), (3694159972, '2019-10-19', 1, 1009.4493, 'PESOS', 22675101, 2, 77057272, 22462.8423, 0, 0, 926, NULL, NULL), (3694159972, '2019-10-20', 1, 1009.4081, 'PESOS', 22674175, 2, 77057272, 22462.8423, 0, 0, 926, NULL, NULL), (3694159972, '2019-10-21', 1, 1002.5537, 'PESOS', 22520206, 2, 77057272, 22462.8423, 0, 0, 919, NULL, NULL), (3694159972, '2019-10-22', 1, 1003.6702, 'PESOS', 22545286, 2, 77057272, 22462.8423, 0, 0, 920, NULL, NULL), (3694159972, '2019-10-23', 1, 998.4053, 'PESOS', 22427020, 2, 77057272, 22462.8423, 0, 0, 916, NULL, NULL), (3694159972, '2019-10-24', 1, 995.7225, 'PESOS', 22388758, 3, 77057272, 22484.9368, 22.0945, 0, 913, NULL, NULL), (3694159972, '2019-10-25', 1, 998.0248, 'PESOS', 22864524, 5, 77057272, 22909.7759, 424.8391, 0, 916, NULL, NULL), (3694159972, '2019-10-26', 1, 997.9841, 'PESOS', 22863591, 5, 77057272, 22909.7759, 0, 0, 933, NULL, NULL), (3694159972, '2019-10-27', 1, 997.9433, 'PESOS', 22862658, 5, 77057272, 22909.7759, 0, 0, 933, NULL, NULL), (3694159972, '2019-10-28', 1, 996.9192, 'PESOS', 29673643, 6, 77057272, 29765.3436, 6855.5677, 0, 932, NULL, NULL), (3694159972, '2019-10-29', 1, 996.1934, 'PESOS', 30344040, 7, 77057272, 30459.9879, 694.6443, 0, 1211, NULL, NULL), (3694159972, '2019-10-30', 1, 1000.7811, 'PESOS', 32244781, 9, 77057272, 32219.6135, 1759.6256, 0, 1244, NULL, NULL), (3694159972, '2019-10-31', 1, 1000.7403, 'PESOS', 32243465, 9, 77057272, 32219.6135, 0, 0, 1316, NULL, NULL), (3694159972, '2019-11-01', 1, 1000.6994, 'PESOS', 32242149, 9, 77057272, 32219.6135, 0, 0, 1316, NULL, NULL), (3694159972, '2019-11-02', 1, 1000.6586, 'PESOS', 32240833, 9, 77057272, 32219.6135, 0, 0, 1316, NULL, NULL), (3694159972, '2019-11-03', 1, 1000.6177, 'PESOS', 32239517, 9, 77057272, 32219.6135, 0, 0, 1316, NULL, NULL), (3694159972, '2019-11-04', 1, 1008.4686, 'PESOS', 33166868, 10, 77057272, 32888.3503, 668.7368, 0, 1326, NULL, NULL), (3694159972, '2019-11-05', 1, 1012.1584, 'PESOS', 35379220, 12, 77057272, 34954.2324, 2065.8821, 0, 1359, NULL, NULL), (3694159972, '2019-11-06', 1, 1006.1317, 'PESOS', 35168561, 12, 77057272, 34954.2324, 0, 0, 1436, NULL, NULL), (3694159972, '2019-11-07', 1, 1006.2814, 'PESOS', 35925295, 14, 77057272, 35701.0414, 746.809, 0, 1436, NULL, NULL), (3694159972, '2019-11-08', 1, 1012.4366, 'PESOS', 36153940, 15, 77057272, 35709.8321, 8.7907, 0, 1476, NULL, NULL), (3694159972, '2019-11-09', 1, 1012.3952, 'PESOS', 36152464, 15, 77057272, 35709.8321, 0, 0, 1476, NULL, NULL), (3694159972, '2019-11-10', 1, 1012.3539, 'PESOS', 36150988, 15, 77057272, 35709.8321, 0, 0, 1476, NULL, NULL), (3694159972, '2019-11-11', 1, 1017.3058, 'PESOS', 37207820, 16, 77057272, 36574.862, 865.0299, 0, 1483, NULL, NULL), (3694159972, '2019-11-12', 1, 1034.0877, 'PESOS', 37821615, 16, 77057272, 36574.862, 0, 0, 1544, NULL, NULL), (3694159972, '2019-11-13', 1, 1037.9544, 'PESOS', 37966339, 16, 77057272, 36578.0413, 3.1793, 0, 1550, NULL, NULL), (3694159972, '2019-11-14', 1, 1036.4522, 'PESOS', 41261393, 16, 77057272, 39810.2212, 3232.1799, 0, 1548, NULL, NULL), (3694159972, '2019-11-15', 1, 1038.5434, 'PESOS', 41344641, 16, 77057272, 39810.2212, 0, 0, 1688, NULL, NULL), (3694159972, '2019-11-16', 1, 1038.501, 'PESOS', 41342953, 16, 77057272, 39810.2212, 0, 0, 1688, NULL, NULL), (3694159972, '2019-11-17', 1, 1038.4586, 'PESOS', 41341265, 16, 77057272, 39810.2212, 0, 0, 1688, NULL, NULL), (3694159972, '2019-11-18', 1, 1026.898, 'PESOS', 40882013, 16, 77057272, 39811.1726, 0.9514, 0, 1669, NULL, NULL), (3694159972, '2019-11-19', 1, 1033.214, 'PESOS', 41133459, 16, 77057272, 39811.1726, 0, 0, 1679, NULL, NULL), (3694159972, '2019-11-20', 1, 1043.7245, 'PESOS', 41551896, 16, 77057272, 39811.1726, 0, 0, 1696, NULL, NULL), (3694159972, '2019-11-21', 1, 1040.5423, 'PESOS', 41425210, 16, 77057272, 39811.1726, 0, 0, 1691, NULL, NULL);
;
INSERT INTO series_latest (`batch`, `series_id`, `date`, `quota`, `equity`, `shareholders`, `previous_date`, `previous_equity`, `daily_change`, `month_date`, `month_equity`, `monthly_change`) VALUES (1, 1161378270, '2019-11-20', 1047.3062, 231130256, 33, '2019-11-19', 225814747, 1.018756505340801, NULL, NULL, NULL), (1, 3694159972, '2019-11-20', 1043.7245, 41551896, 16, '2019-11-19', 41133459, 1.017262638717642, '2019-10-20', 22674175, 3.3996556992162086);
INSERT INTO series_month (`batch`, `series_id`, `month`, `quote_date`, `equity`, `growth`, `peak`, `trough`, `drawdown`, `cost_rate`, `cost_days`) VALUES (1, 1161378270, '2019-10-31', '2019-10-31', 94736489, NULL, NULL, NULL, NULL, 0.009500614761505415, 2), (1, 3694159972, '2019-10-31', '2019-10-31', 32243465, NULL, NULL, NULL, NULL, 0.014984978640905542, 15);
;
INSERT INTO series_return (`batch`, `series_id`, `window`, `value`, `currency`, `reason`, `target_start`, `target_end`, `effective_start`, `effective_end`) VALUES (1, 1161378270, '1m', NULL, NULL, 'missing_start_quote', '2019-10-20', '2019-11-20', NULL, '2019-11-20'), (1, 1161378270, '1y', NULL, NULL, 'missing_start_quote', '2018-11-20', '2019-11-20', NULL, '2019-11-20'), (1, 1161378270, '3m', NULL, NULL, 'missing_start_quote', '2019-08-20', '2019-11-20', NULL, '2019-11-20'), (1, 1161378270, '3y_ann', NULL, NULL, 'missing_start_quote', '2016-11-20', '2019-11-20', NULL, '2019-11-20'), (1, 1161378270, '5y_ann', NULL, NULL, 'missing_start_quote', '2014-11-20', '2019-11-20', NULL, '2019-11-20'), (1, 1161378270, '6m', NULL, NULL, 'missing_start_quote', '2019-05-20', '2019-11-20', NULL, '2019-11-20'), (1, 1161378270, 'last_closed_month', NULL, NULL, 'missing_start_quote', '2019-09-30', '2019-10-31', NULL, '2019-10-31'), (1, 1161378270, 'ytd', NULL, NULL, 'missing_start_quote', '2018-12-31', '2019-11-20', NULL, '2019-11-20'), (1, 3694159972, '1m', 0.033996556992162086, 'PESOS', NULL, '2019-10-20', '2019-11-20', '2019-10-20', '2019-11-20'), (1, 3694159972, '1y', NULL, NULL, 'missing_start_quote', '2018-11-20', '2019-11-20', NULL, '2019-11-20'), (1, 3694159972, '3m', NULL, NULL, 'missing_start_quote', '2019-08-20', '2019-11-20', NULL, '2019-11-20'), (1, 3694159972, '3y_ann', NULL, NULL, 'missing_start_quote', '2016-11-20', '2019-11-20', NULL, '2019-11-20'), (1, 3694159972, '5y_ann', NULL, NULL, 'missing_start_quote', '2014-11-20', '2019-11-20', NULL, '2019-11-20'), (1, 3694159972, '6m', NULL, NULL, 'missing_start_quote', '2019-05-20', '2019-11-20', NULL, '2019-11-20'), (1, 3694159972, 'last_closed_month', NULL, NULL, 'missing_start_quote', '2019-09-30', '2019-10-31', NULL, '2019-10-31'), (1, 3694159972, 'ytd', NULL, NULL, 'missing_start_quote', '2018-12-31', '2019-11-20', NULL, '2019-11-20');
INSERT INTO source (`dataset`, `sha256`, `revision`, `file`, `first_date`, `last_date`, `rows`, `keys`, `rejected`) VALUES ('cartola', '5357132cdf0436596c6e1552a083bccd3570925e201d6ca3e6f904559a544c20', '2019-12-01 00:00:00.000', 'cartola.txt', '2019-10-16', '2019-11-21', 60, 60, 0);
INSERT INTO tac_month (`batch`, `series_id`, `month`, `kind`, `source`, `tac`, `cost_days`, `investor_class`, `tac_kind`, `decimals`) VALUES (1, 3694159972, '2019-10-31', 'real', 'computed', 0.014984978640905542, 15, NULL, 'computed', NULL);
INSERT INTO window_target (`batch`, `window`, `target_start`, `target_end`) VALUES (1, '1m', '2019-10-20', '2019-11-20'), (1, '1y', '2018-11-20', '2019-11-20'), (1, '3m', '2019-08-20', '2019-11-20'), (1, '3y_ann', '2016-11-20', '2019-11-20'), (1, '5y_ann', '2014-11-20', '2019-11-20'), (1, '6m', '2019-05-20', '2019-11-20'), (1, 'last_closed_month', '2019-09-30', '2019-10-31'), (1, 'ytd', '2018-12-31', '2019-11-20');
