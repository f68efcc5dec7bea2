-- How many facts each table has of each file that came with a batch after M (since). since
-- = 0 gives every file, whether it is in a batch or not. A fact that arrived twice counts
-- once.
--   SELECT * FROM fact_row_count(since = 0) WHERE table = 'fact_quota'
CREATE OR REPLACE VIEW fact_row_count AS
-- In the order of the table, so that memory does not grow with the history.
SELECT 'fact_quota' AS table, source_sha256 AS file, count() AS rows
FROM
(
    SELECT run, serie, date, source_sha256, void FROM fact_quota
    WHERE {since:UInt64} = 0
       OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})
          -- Those batches have built every day of their files, so only the years of these
          -- days are read.
          AND date IN (SELECT date FROM series_day_version WHERE build > {since:UInt64})
    GROUP BY run, serie, date, source_sha256, void
    SETTINGS optimize_aggregation_in_order = 1
)
GROUP BY file
UNION ALL
SELECT 'fact_fund' AS table, source_sha256 AS file, uniqExact(run) AS rows FROM fact_fund
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY file
UNION ALL
SELECT 'fact_tac' AS table, source_sha256 AS file, uniqExact(run, serie, date, kind) AS rows FROM fact_tac
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY file
UNION ALL
SELECT 'fact_official_return' AS table, source_sha256 AS file, uniqExact(run, serie, date) AS rows FROM fact_official_return
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY file
UNION ALL
SELECT 'fact_aafm_daily' AS table, source_sha256 AS file, uniqExact(run, serie, date) AS rows FROM fact_aafm_daily
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY file
UNION ALL
SELECT 'fact_indicator' AS table, source_sha256 AS file, uniqExact(code, date) AS rows FROM fact_indicator
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY file
UNION ALL
SELECT 'fact_investment_fund' AS table, source_sha256 AS file, uniqExact(run) AS rows FROM fact_investment_fund
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY file
UNION ALL
SELECT 'fact_monthly_tac' AS table, source_sha256 AS file, uniqExact(manager_words, fund_words, serie, date) AS rows FROM fact_monthly_tac
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY file
UNION ALL
SELECT 'fact_holding' AS table, source_sha256 AS file, uniqExact(run, month, market, position) AS rows FROM fact_holding
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY file
UNION ALL
SELECT 'fact_investment_value' AS table, source_sha256 AS file, uniqExact(run, serie, date, void) AS rows FROM fact_investment_value
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY file
UNION ALL
SELECT 'fact_benchmark' AS table, source_sha256 AS file, uniqExact(family_rar, symbol) AS rows FROM fact_benchmark
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY file
UNION ALL
SELECT 'fact_benchmark_price' AS table, source_sha256 AS file, uniqExact(symbol, date) AS rows FROM fact_benchmark_price
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY file
UNION ALL
SELECT 'fact_article107' AS table, source_sha256 AS file, uniqExact(run) AS rows FROM fact_article107
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY file
UNION ALL
SELECT 'fact_factor' AS table, source_sha256 AS file, uniqExact(run, serie, date, source_line) AS rows FROM fact_factor
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY file
UNION ALL
SELECT 'fact_exchange' AS table, source_sha256 AS file, uniqExact(event_id, event_revision) AS rows FROM fact_exchange
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY file
UNION ALL
SELECT 'fact_rename' AS table, source_sha256 AS file, uniqExact(run, previous_serie) AS rows FROM fact_rename
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY file
UNION ALL
SELECT 'fact_discontinuity' AS table, source_sha256 AS file, uniqExact(run, serie, date) AS rows FROM fact_discontinuity
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY file
UNION ALL
SELECT 'fact_risk_free' AS table, source_sha256 AS file, uniqExact(name, date) AS rows FROM fact_risk_free
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY file
UNION ALL
SELECT 'fact_vehicle' AS table, source_sha256 AS file, uniqExact(run) AS rows FROM fact_vehicle
WHERE ({since:UInt64} = 0 OR source_sha256 IN (SELECT sha256 FROM batch_new_file WHERE batch > {since:UInt64})) GROUP BY file
