-- How many rows each table has of batch N. If the rows of a batch stay part of all later
-- batches, the rows of all batches up to N are counted.
--   SELECT * FROM batch_rows_of(batch = 7)
CREATE OR REPLACE VIEW batch_rows_of AS
SELECT 'month_build' AS table, count() AS rows FROM month_build WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'series_break' AS table, count() AS rows FROM series_break WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'day' AS table, count() AS rows FROM day WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'manager' AS table, count() AS rows FROM manager WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'fund' AS table, count() AS rows FROM fund WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'series' AS table, count() AS rows FROM series WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'series_latest' AS table, count() AS rows FROM series_latest WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'series_return' AS table, count() AS rows FROM series_return WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'window_target' AS table, count() AS rows FROM window_target WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'screener' AS table, count() AS rows FROM screener WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'series_month' AS table, count() AS rows FROM series_month WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'tac_month' AS table, count() AS rows FROM tac_month WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'risk_month' AS table, count() AS rows FROM risk_month WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'classification' AS table, count() AS rows FROM classification WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'continuation' AS table, count() AS rows FROM continuation WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'continued_history' AS table, count() AS rows FROM continued_history WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'rate' AS table, count() AS rows FROM rate WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'fi_instrument' AS table, count() AS rows FROM fi_instrument WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'series_rename' AS table, count() AS rows FROM series_rename WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'series_label' AS table, count() AS rows FROM series_label WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'index_day' AS table, count() AS rows FROM index_day WHERE batch = {batch:UInt64}
UNION ALL
SELECT 'batch_source' AS table, count() AS rows FROM batch_source WHERE batch <= {batch:UInt64}
  AND (batch = {batch:UInt64} OR batch NOT IN (SELECT batch FROM batch_failure))
UNION ALL
SELECT 'quota_series' AS table, count() AS rows FROM quota_series WHERE batch <= {batch:UInt64}
  AND (batch = {batch:UInt64} OR batch NOT IN (SELECT batch FROM batch_failure))
UNION ALL
SELECT 'quota_manager' AS table, count() AS rows FROM quota_manager WHERE batch <= {batch:UInt64}
  AND (batch = {batch:UInt64} OR batch NOT IN (SELECT batch FROM batch_failure))
UNION ALL
-- The same for every batch, because a migration inserts the rows.
SELECT 'reference_category' AS table, count() AS rows FROM reference_category
