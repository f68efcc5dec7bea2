-- +goose Up

-- Ends of series that a person states, so that the market does not wait for them (docs/decisions/0003-cutoff-after-a-gap.md).

CREATE TABLE IF NOT EXISTS fact_end
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
ENGINE = ReplacingMergeTree(source_line)
ORDER BY (run, serie, ended_on, revision, source_sha256)
COMMENT 'Ends of series, of funds and of the market, as persons state them; every revision. Holds every revision: read batch_series_end';

ALTER TABLE market_completeness
    COMMENT COLUMN prior_series 'Series counted: those with a row that day, and those with one since the last complete day, or in the seven days before if that is earlier, that have stated no end; rejected rows count. Series silent for more than 95 days are left out if they are fewer than the others',
    COMMENT COLUMN present_series 'Of these, with a row that day, void ones included',
    COMMENT COLUMN void_series 'Of the present series, those whose row of the day was rejected: it is void',
    COMMENT COLUMN has_data 'At least half of the series counted, and one series at all, have a quote that day: views of the market answer for it',
    COMMENT COLUMN prior_equity_clp 'Equity of the series counted at their last quote before the day, CLP; dollars at the dólar observado of that quote''s day or of at most 7 days before; others left out',
    COMMENT COLUMN complete 'The day has data, at least 98 % of the series counted have a quote, where one void row counts as a quote, and those with a row hold at least 99 % of the equity (RULES 1)';

ALTER TABLE series
    COMMENT COLUMN current 'Quoted at least once, with a row within 7 days of the cutoff, and neither its fund ended nor its quotas exchanged nor its end stated by then';

-- +goose Down
SELECT throwIf(true, 'a table of facts is not dropped by a migration');
