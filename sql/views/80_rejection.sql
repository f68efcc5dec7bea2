-- Rejected rows, and which of them are open: nothing has put them right yet
-- (docs/decisions/0033-rejected-rows-that-are-open.md). A row is no longer open when
--   its file was ingested again and the row was accepted,
--   or it is a series' day (void), and a row of a complete file takes precedence there,
--   or its file, of which no row was taken, is complete by now, or a person has refused it,
--   or, where its day is not known, a newer complete file of the same dataset and name
--   covers at least the same days.
--   SELECT dataset, file, count() FROM rejection WHERE open GROUP BY dataset, file
CREATE OR REPLACE VIEW rejection AS
WITH
    rejects AS
    (
        SELECT
            *, row_number() OVER (PARTITION BY dataset, source_sha256 ORDER BY arrived_at DESC, source_line) AS place
        FROM rejected_row FINAL
    ),
    manifests AS
    (
        SELECT dataset, sha256, rejected, first_date, last_date, true AS whole FROM manifest FINAL
    ),
    complete AS
    (
        SELECT toString(dataset) AS dataset, sha256, revision, file, first_date, last_date FROM complete_file FINAL
    ),
    void_quotas AS (parts.void_facts(table: fact_quota; dataset: cartola)),
    void_values AS (parts.void_facts(table: fact_investment_value; dataset: fi-values)),
    -- The row that counts on each of these days, as batch_quota and batch_investment_value pick it.
    days AS
    (
        parts.void_days(table: fact_quota; dataset: cartola; void: void_quotas)
        UNION ALL
        parts.void_days(table: fact_investment_value; dataset: fi-values; void: void_values)
    ),
    day_known AS (SELECT dataset, sha256, source_line, superseded, true AS known FROM days),
    -- Rejects of files beside the newer complete files of the same dataset and name.
    restated AS
    (
        SELECT DISTINCT files.dataset AS dataset, files.sha256 AS sha256, true AS again
        FROM
        (
            SELECT rejects.dataset AS dataset, rejects.source_sha256 AS sha256, rejects.file AS file, rejects.revision AS revision,
                any(manifests.whole) AS whole, any(manifests.first_date) AS first_date, any(manifests.last_date) AS last_date
            FROM rejects
            LEFT JOIN manifests ON manifests.dataset = rejects.dataset AND manifests.sha256 = rejects.source_sha256
            GROUP BY dataset, sha256, file, revision
        ) AS files
        INNER JOIN complete ON complete.dataset = files.dataset AND complete.file = files.file
        WHERE complete.sha256 != files.sha256
          AND if(files.whole,
                 (complete.revision, complete.sha256) > (files.revision, files.sha256)
                     AND (files.first_date IS NULL OR ifNull(complete.first_date <= files.first_date AND complete.last_date >= files.last_date, false)),
                 complete.revision >= files.revision)
    )
SELECT
    rejects.dataset AS dataset, rejects.source_sha256 AS source_sha256, rejects.source_line AS source_line, rejects.revision AS revision,
    rejects.file AS file, rejects.reason AS reason, rejects.raw AS raw, rejects.arrived_at AS arrived_at,
    NOT multiIf(
        manifests.whole AND rejects.place > manifests.rejected, true,
        NOT manifests.whole AND rejects.source_sha256 IN (SELECT sha256 FROM complete), true,
        NOT manifests.whole AND rejects.source_sha256 IN (SELECT sha256 FROM file_judgement FINAL WHERE state = 'declined'), true,
        day_known.known, day_known.superseded,
        restated.again) AS open
FROM rejects
LEFT JOIN manifests ON manifests.dataset = rejects.dataset AND manifests.sha256 = rejects.source_sha256
LEFT JOIN day_known ON day_known.dataset = rejects.dataset AND day_known.sha256 = rejects.source_sha256 AND day_known.source_line = rejects.source_line
LEFT JOIN restated ON restated.dataset = rejects.dataset AND restated.sha256 = rejects.source_sha256
SETTINGS join_use_nulls = 0
