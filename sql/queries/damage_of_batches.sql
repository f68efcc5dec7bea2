-- What is missing from several published batches, of the rows that only they read: the tables
-- whose number of rows differs from the notes of the batch. One statement compares all of them,
-- because a batch of each of many days is kept. damage.sql checks in addition what batches share.
--   batches  numbers of the batches
WITH
    noted AS
    (
        SELECT batch, toString(table) AS table, rows
        FROM batch_table
        WHERE batch IN {batches:Array(UInt64)} AND piece = ''
          AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase())
    ),
    stored AS
    (
        SELECT batch, toString(_table) AS table, count() AS rows
        FROM merge(currentDatabase(), (SELECT concat('^(', arrayStringConcat(groupArray(table), '|'), ')$') FROM built_table WHERE kind = 'batch'))
        WHERE batch IN {batches:Array(UInt64)}
        GROUP BY batch, table
        UNION ALL
        -- The rows of these tables stay part of all later batches.
        SELECT reader, table, count()
        FROM
        (
            SELECT 'batch_new_file' AS table, batch FROM batch_new_file
            UNION ALL SELECT 'quota_series', batch FROM quota_series
            UNION ALL SELECT 'quota_manager', batch FROM quota_manager
        )
        ARRAY JOIN {batches:Array(UInt64)} AS reader
        WHERE batch <= reader AND (batch = reader OR batch NOT IN (SELECT batch FROM batch_failure))
        GROUP BY reader, table
    )
SELECT
    if(noted.table != '', noted.batch, stored.batch) AS of_batch,
    if(noted.table != '', noted.table, stored.table) AS of_table,
    ''                                               AS of_piece,
    noted.rows                                       AS noted_rows,
    stored.rows                                      AS stored_rows,
    false                                            AS is_fact
FROM noted
FULL OUTER JOIN stored ON stored.batch = noted.batch AND stored.table = noted.table
WHERE noted_rows != stored_rows
ORDER BY of_batch, of_table
