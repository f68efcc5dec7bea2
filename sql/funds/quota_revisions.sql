-- Every quota that a file ever stated for the days of some series, corrected ones too: when it was published, when it
-- was seen here first, and which one counts. series must be given.
--   SELECT date, published_at, quota, counts FROM funds.quota_revisions(series = [1161378270]) ORDER BY date, published_at
--
-- changes: none
CREATE OR REPLACE VIEW funds.quota_revisions
(
    series_id      UInt32                           COMMENT 'Id of the series',
    date           Date                             COMMENT 'Day that the line states',
    serie          String                           COMMENT 'Name of the series in the line',
    currency       LowCardinality(Nullable(String)) COMMENT 'Accounting currency: PESOS, DOLAR, or as written where unknown; null where the line states none',
    quota          Nullable(Float64)                COMMENT 'Value of one quota that the line states, in currency; of investment funds the book value; null where the line could not be read',
    equity         Nullable(Float64)                COMMENT 'Equity of the series that the line states, full units of currency',
    shareholders   Nullable(UInt64)                 COMMENT 'Number of investors that the line states',
    void           Bool                             COMMENT 'The line has no quota that can be used',
    counts         Bool                             COMMENT 'Of the lines about the series and day, the one that counts',
    published_at   DateTime64(3, 'UTC')             COMMENT 'When the source published the file, else when it was ingested, UTC',
    seen_at        Nullable(DateTime64(3, 'UTC'))   COMMENT 'When the first batch with the file was published, UTC; null where that is not known any more',
    dataset        LowCardinality(String)           COMMENT 'Dataset of the file: cartola or fi-values',
    file           Nullable(String)                 COMMENT 'Name of the file',
    source_sha256  String                           COMMENT 'Hash of the file, SHA-256 in hex',
    line           UInt32                           COMMENT 'Line in the file, from 1'
)
SQL SECURITY DEFINER AS
SELECT
    lines.series_id AS series_id, lines.date AS date, lines.serie AS serie, lines.currency AS currency,
    toFloat64(lines.quota) AS quota, toFloat64(lines.equity) AS equity, lines.shareholders AS shareholders,
    lines.void AS void, lines.counts AS counts, lines.published_at AS published_at, seen.seen_at AS seen_at,
    lines.dataset AS dataset, nullIf(named.file, '') AS file, lines.sha256 AS source_sha256, lines.line AS line
FROM batch_revision(batch = {batch:UInt64}, series = {series:Array(UInt32)}, from = '1970-01-01', to = '2149-06-06') AS lines
LEFT ANY JOIN (SELECT sha256, any(file) AS file FROM complete_file GROUP BY sha256) AS named ON named.sha256 = lines.sha256
LEFT ANY JOIN (SELECT sha256, min(seen_at) AS seen_at FROM seen_file GROUP BY sha256) AS seen ON seen.sha256 = lines.sha256
SETTINGS join_use_nulls = 0
COMMENT 'Every quota that files stated for the days of some series, corrected ones too: quota_revisions(series = [1161378270]). Key: series_id, date, published_at, source_sha256, line.'
