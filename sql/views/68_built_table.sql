-- The tables that batches fill, as ClickHouse lists them. So a new table needs no entry
-- anywhere to be counted, summed up and dropped. kind says to what a row belongs:
--   batch  to a batch; the table is partitioned by its column batch
--   list   to a day that a batch builds (column build); the name ends in _version
--   day    to a build of a day (column build); list is the table with the builds of the days
-- Tables whose rows stay part of later batches, such as registry, are none of these.
--   SELECT * FROM built_table WHERE kind = 'day'
CREATE OR REPLACE VIEW built_table AS
SELECT
    table,
    multiIf(name = 'batch', 'batch', endsWith(table, '_version'), 'list', 'day') AS kind,
    -- Most tables of days are built by the days of the market.
    multiIf(kind = 'day', multiIf(table IN ('series_day', 'fi_day'), concat(table, '_version'), table = 'later_row', 'series_day_version', table IN ('standing_quote', 'return_day'), 'return_day_version', 'market_day_version'), kind = 'list', table, '') AS list
FROM system.columns
WHERE database = currentDatabase()
  AND (name = 'batch' AND is_in_partition_key OR name = 'build' AND is_in_sorting_key)
