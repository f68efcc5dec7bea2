-- +goose Up

CREATE TABLE continuation
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

ALTER TABLE series_break COMMENT COLUMN kind
    'currency_change; or a known discontinuity: gap (over 31 days), restart (equity 0, then more), adjustment (factor de ajuste not 1), curated (an event says so; date is the first day after the break)';

-- +goose Down
SELECT throwIf(true, 'projections are dropped and rebuilt by the program, not by a migration');
