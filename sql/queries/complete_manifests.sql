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
        UNION ALL
        SELECT source_sha256, uniqExact(date, manager_words, fund_words, serie) FROM fact_monthly_tac
        WHERE source_sha256 IN (SELECT sha256 FROM waiting) GROUP BY source_sha256
        UNION ALL
        SELECT source_sha256, uniqExact(run, month, market, position) FROM fact_holding
        WHERE source_sha256 IN (SELECT sha256 FROM waiting) GROUP BY source_sha256
        UNION ALL
        SELECT source_sha256, uniqExact(run, serie, date) FROM fact_investment_value
        WHERE NOT void AND source_sha256 IN (SELECT sha256 FROM waiting) GROUP BY source_sha256
        UNION ALL
        SELECT source_sha256, uniqExact(family_rar, symbol) FROM fact_benchmark
        WHERE source_sha256 IN (SELECT sha256 FROM waiting) GROUP BY source_sha256
        UNION ALL
        SELECT source_sha256, uniqExact(symbol, date) FROM fact_benchmark_price
        WHERE source_sha256 IN (SELECT sha256 FROM waiting) GROUP BY source_sha256
        UNION ALL
        SELECT source_sha256, uniqExact(run) FROM fact_article107
        WHERE source_sha256 IN (SELECT sha256 FROM waiting) GROUP BY source_sha256
        UNION ALL
        SELECT source_sha256, uniqExact(run, serie, date, source_line) FROM fact_factor
        WHERE source_sha256 IN (SELECT sha256 FROM waiting) GROUP BY source_sha256
        UNION ALL
        SELECT source_sha256, uniqExact(event_id, event_revision) FROM fact_exchange
        WHERE source_sha256 IN (SELECT sha256 FROM waiting) GROUP BY source_sha256
        UNION ALL
        SELECT source_sha256, uniqExact(run, previous_serie) FROM fact_rename
        WHERE source_sha256 IN (SELECT sha256 FROM waiting) GROUP BY source_sha256
        UNION ALL
        SELECT source_sha256, uniqExact(run, serie, date) FROM fact_discontinuity
        WHERE source_sha256 IN (SELECT sha256 FROM waiting) GROUP BY source_sha256
        UNION ALL
        SELECT source_sha256, uniqExact(name, date) FROM fact_risk_free
        WHERE source_sha256 IN (SELECT sha256 FROM waiting) GROUP BY source_sha256
        UNION ALL
        SELECT source_sha256, uniqExact(run) FROM fact_vehicle
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
