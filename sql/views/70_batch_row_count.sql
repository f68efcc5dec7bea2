-- How many rows each table has of batch N, tables without a row included. If the rows of a
-- batch stay part of all later batches, the rows of all batches up to N are counted.
--   SELECT * FROM batch_row_count(batch = 7)
CREATE OR REPLACE VIEW batch_row_count AS
SELECT table, sum(found) AS rows
FROM
(
    SELECT table, 0 AS found FROM built_table WHERE kind = 'batch'
    UNION ALL
    SELECT toString(_table), count()
    FROM merge(currentDatabase(), (SELECT concat('^(', arrayStringConcat(groupArray(table), '|'), ')$') FROM built_table WHERE kind = 'batch'))
    WHERE batch = {batch:UInt64}
    GROUP BY _table
)
GROUP BY table
UNION ALL
SELECT 'batch_new_file' AS table, count() AS rows FROM batch_new_file WHERE parts.seen_by_batch(key: batch)
UNION ALL
SELECT 'quota_series' AS table, count() AS rows FROM quota_series WHERE parts.seen_by_batch(key: batch)
UNION ALL
SELECT 'quota_manager' AS table, count() AS rows FROM quota_manager WHERE parts.seen_by_batch(key: batch)
