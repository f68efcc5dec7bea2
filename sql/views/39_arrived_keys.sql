-- How many keys of each file have arrived as facts, counted as manifests count them. It
-- covers the files that are not complete, or, if complete is set, the complete files that
-- no published batch includes.
--   SELECT * FROM arrived_keys(complete = false)
CREATE OR REPLACE VIEW arrived_keys AS
WITH files AS
(
    SELECT dataset, sha256 FROM manifest
    WHERE (sha256 IN (SELECT sha256 FROM complete_file)) = {complete:Bool}
      AND (NOT {complete:Bool} OR sha256 NOT IN
          (SELECT sha256 FROM batch_new_file WHERE batch <= (SELECT max(batch) FROM batch) AND batch NOT IN (SELECT batch FROM batch_failure)))
)
SELECT source_sha256 AS sha256, uniqExact(run, serie, date) AS keys FROM fact_quota
WHERE NOT void AND source_sha256 IN (SELECT sha256 FROM files WHERE dataset = 'cartola') GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(run) FROM fact_fund
WHERE source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(run, serie, date) FROM fact_tac
WHERE source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(run, serie, date) FROM fact_official_return
WHERE source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(run, serie, date) FROM fact_aafm_daily
WHERE source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(code, date) FROM fact_indicator
WHERE source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(run) FROM fact_investment_fund
WHERE source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(date, manager_words, fund_words, serie) FROM fact_monthly_tac
WHERE source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(run, month, market, position) FROM fact_holding
WHERE source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(run, serie, date) FROM fact_investment_value
WHERE NOT void AND source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(family_rar, symbol) FROM fact_benchmark
WHERE source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(symbol, date) FROM fact_benchmark_price
WHERE source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(run) FROM fact_article107
WHERE source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(run, serie, date, source_line) FROM fact_factor
WHERE source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(event_id, event_revision) FROM fact_exchange
WHERE source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(run, previous_serie) FROM fact_rename
WHERE source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(run, serie, date) FROM fact_discontinuity
WHERE source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(name, date) FROM fact_risk_free
WHERE source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
UNION ALL
SELECT source_sha256, uniqExact(run) FROM fact_vehicle
WHERE source_sha256 IN (SELECT sha256 FROM files) GROUP BY source_sha256
