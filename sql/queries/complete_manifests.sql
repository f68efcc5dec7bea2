-- Copies the files that became complete from manifest to complete_file: everything that the
-- manifest of the file counts is stored.
INSERT INTO complete_file (dataset, sha256, revision, file, first_date, last_date, rows, keys, rejected)
WITH
    waiting AS (SELECT * FROM manifest FINAL WHERE sha256 NOT IN (SELECT sha256 FROM complete_file)),
    arrived AS (SELECT sha256, keys FROM arrived_keys(states = ['incomplete'])),
    refused AS
    (
        SELECT source_sha256 AS sha256, uniqExact(source_line) AS lines FROM rejected_row
        WHERE source_sha256 IN (SELECT sha256 FROM waiting) GROUP BY source_sha256
    )
SELECT
    waiting.dataset, waiting.sha256, waiting.revision, waiting.file, waiting.first_date, waiting.last_date,
    waiting.rows, waiting.keys, waiting.rejected
FROM waiting
LEFT JOIN arrived USING (sha256)
LEFT JOIN refused USING (sha256)
WHERE arrived.keys >= waiting.keys AND refused.lines >= waiting.rejected
