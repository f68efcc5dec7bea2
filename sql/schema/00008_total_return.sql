-- +goose Up

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
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id, hop)
COMMENT 'How the holdings of exchanged series go on in others, forward only and at most five hops far (RULES 1). A window uses the hops that are effective by its end';

CREATE TABLE IF NOT EXISTS continued_history
(
    batch      UInt64 COMMENT 'Batch',
    series_id  UInt32 COMMENT 'Series whose holdings go on elsewhere (registry)',
    quotes     Array(Tuple(part UInt8, date Date, quota Nullable(Decimal(18, 6)), currency String))
                      COMMENT 'Quotes by date: of part 0 until the series is exchanged, then of part 1, the destination of hop 1, and so on (continuation)',
    breaks     Array(Tuple(part UInt8, date Date, kind String))
                      COMMENT 'Breaks inside that history as in discontinuity, but adjustments; those between two parts belong to the later one'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, series_id)
COMMENT 'The histories of exchanged series, each joined with those that its holdings go on in (RULES 1)';

CREATE TABLE IF NOT EXISTS fx_uf_rate
(
    batch  UInt64 COMMENT 'Batch',
    date   Date   COMMENT 'Calendar day, with or without publication; the first is that of the oldest indicator',
    fx     Tuple(date Nullable(Date), value Nullable(Decimal(18, 6)), sha256 Nullable(String), revision Nullable(DateTime64(3, 'UTC')))
                  COMMENT 'Dólar observado last published on or before the day, however old: its day, CLP for one US dollar, hash of the file, when that was published; null before the first',
    uf     Tuple(date Nullable(Date), value Nullable(Decimal(18, 6)), sha256 Nullable(String), revision Nullable(DateTime64(3, 'UTC')))
                  COMMENT 'UF of the very day: its day, CLP for one UF, hash of the file, when that was published; null where there is none'
)
ENGINE = MergeTree
PARTITION BY batch
ORDER BY (batch, date)
COMMENT 'What quotes of each calendar day are converted with (RULES 1)';

ALTER TABLE discontinuity COMMENT COLUMN kind
    'currency_change; or a known discontinuity: gap (over 31 days), restart (equity 0, then more), adjustment (factor de ajuste not 1), curated (an event says so; date is the first day after the break)';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
