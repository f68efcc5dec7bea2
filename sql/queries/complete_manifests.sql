-- Files that became complete: every key that the manifest counts stands as a
-- fact. Moves them into source.
INSERT INTO source (dataset, sha256, revision, file, first_date, last_date, rows, keys, rejected)
WITH
    waiting AS (SELECT * FROM manifest FINAL WHERE sha256 NOT IN (SELECT sha256 FROM source)),
    arrived AS
    (
        SELECT source_sha256 AS sha256, uniqExact(run, serie, date) AS keys FROM fact_quota
        WHERE NOT void AND source_sha256 IN (SELECT sha256 FROM waiting WHERE dataset = 'cartola') GROUP BY source_sha256
        UNION ALL
        SELECT source_sha256, uniqExact(run) FROM fact_fund
        WHERE source_sha256 IN (SELECT sha256 FROM waiting) GROUP BY source_sha256
        UNION ALL
        SELECT source_sha256, uniqExact(run, serie, date) FROM fact_tac
        WHERE source_sha256 IN (SELECT sha256 FROM waiting) GROUP BY source_sha256
        UNION ALL
        SELECT source_sha256, uniqExact(run, serie, date) FROM fact_official_return
        WHERE source_sha256 IN (SELECT sha256 FROM waiting) GROUP BY source_sha256
        UNION ALL
        SELECT source_sha256, uniqExact(run, serie, date) FROM fact_sheet
        WHERE source_sha256 IN (SELECT sha256 FROM waiting) GROUP BY source_sha256
        UNION ALL
        SELECT source_sha256, uniqExact(code, date) FROM fact_indicator
        WHERE source_sha256 IN (SELECT sha256 FROM waiting) GROUP BY source_sha256
        UNION ALL
        SELECT source_sha256, uniqExact(run) FROM fact_investment_fund
        WHERE source_sha256 IN (SELECT sha256 FROM waiting) GROUP BY source_sha256
    ),
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
