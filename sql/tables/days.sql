-- Days of series. A day is always rebuilt completely. Its rows carry the batch that built them, and a
-- reader of batch N takes the newest build up to N.

CREATE TABLE IF NOT EXISTS series_day_version
parts.list_of_builds
COMMENT 'Which batch built which day of series_day, superseded ones too. Holds superseded days: read current_series_day, which takes the newest build of each day';

CREATE TABLE IF NOT EXISTS series_day
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
parts.stored_by_year(key: series_id, date, build)
SETTINGS index_granularity = 1024
COMMENT 'One row per series and day, corrections resolved. Holds superseded days: read current_series_day';

CREATE TABLE IF NOT EXISTS fi_day_version
parts.list_of_builds
COMMENT 'Which batch built which day of fi_day, superseded ones too. Holds superseded days: read current_fi_day, which takes the newest build of each day';

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
parts.stored_by_year(key: series_id, date, build)
SETTINGS index_granularity = 1024
COMMENT 'One row per series of an investment fund and day, corrections resolved. Holds superseded days: read current_fi_day';

CREATE TABLE IF NOT EXISTS discontinuity
(
    batch      UInt64                 COMMENT 'Batch',
    series_id  UInt32                 COMMENT 'Series id (registry)',
    date       Date                   COMMENT 'Later of the two quotes between which the series breaks',
    kind       LowCardinality(String) COMMENT 'currency_change; or a known discontinuity: gap (over 31 days), restart (equity 0, then more), adjustment (factor de ajuste not 1), unit_change (the rows show that the quota has another unit, without a factor: RULES 8), curated (an event says so; date is the first day after the break)',
    evidence   String                 COMMENT 'What shows it: of unit_change the figures of the two rows, of curated the address of the document; empty for other kinds'
)
parts.stored_by_batch(key: series_id, date)
COMMENT 'Days across which a price return would be meaningless (RULES 1). Holds several batches: read current_discontinuity';

CREATE TABLE IF NOT EXISTS market_completeness
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
parts.stored_by_batch(key: date)
COMMENT 'How complete the market is on each day. Holds several batches: read current_market_completeness';

CREATE TABLE IF NOT EXISTS continuation
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
parts.stored_by_batch(key: series_id, hop)
COMMENT 'How the holdings of exchanged series go on in others, forward only and at most five hops far (RULES 1). A window uses the hops that are effective by its end. Holds several batches: read current_continuation';

CREATE TABLE IF NOT EXISTS continued_history
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
parts.stored_by_batch(key: series_id)
COMMENT 'The histories of exchanged series, each joined with those that its holdings go on in (RULES 1). Holds several batches: read current_continued_history';

CREATE TABLE IF NOT EXISTS fx_uf_rate
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
parts.stored_by_batch(key: date)
COMMENT 'What quotes of each calendar day are converted with (RULES 1). Holds several batches: read current_fx_uf_rate';

CREATE TABLE IF NOT EXISTS series_step
(
    batch      UInt64  COMMENT 'Number of the batch',
    series_id  UInt32  COMMENT 'Series id (registry)',
    date       Date    COMMENT 'Day of a quote',
    broken     Bool    COMMENT 'The series breaks before this quote: nothing before it compares with it',
    factor     Float64 COMMENT 'Otherwise what one quota of the quote before has become: adjustment times distribution factor'
)
parts.stored_by_batch(key: series_id, date)
COMMENT 'What happens to the series of mutual funds between quotes, for whoever holds them (docs/backtests.md, section 4). Holds several batches: read current_series_step';

CREATE TABLE IF NOT EXISTS later_row
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
parts.stored_by_year(key: date, series_id, build)
COMMENT 'The cartola rows that a later file corrected, or added to a day that another file had stated. Holds superseded days: read current_later_row';
