-- What is missing from a published batch: the tables whose number of rows differs from the
-- batch's notes. There may be more facts than were noted, because a file that was ingested
-- with two dates of publication has its facts twice.
WITH
    noted AS
    (
        SELECT table, piece, argMax(rows, batch) AS rows, max(batch) AS build
        FROM batch_table
        -- Notes about tables that a later version of the program dropped are ignored.
        WHERE table IN (SELECT name FROM system.tables WHERE database = currentDatabase())
          AND parts.seen_by_batch(key: batch) AND (piece != '' OR batch = {batch:UInt64})
        GROUP BY table, piece
    ),
    stored AS
    (
        SELECT table, '' AS piece, rows, {batch:UInt64} AS build FROM batch_row_count(batch = {batch:UInt64})
        UNION ALL
        SELECT table, toString(date), rows, build FROM batch_day_row_count(batch = {batch:UInt64}, since = 0)
        UNION ALL
        SELECT table, file, rows, 0 FROM fact_row_count(since = 0)
    )
SELECT
    toString(if(noted.table != '', noted.table, stored.table)) AS of_table,
    if(noted.table != '', noted.piece, stored.piece)           AS of_piece,
    noted.rows                                                 AS noted_rows,
    stored.rows                                                AS stored_rows,
    startsWith(of_table, 'fact_')                              AS is_fact
FROM noted
FULL OUTER JOIN stored ON stored.table = noted.table AND stored.piece = noted.piece
WHERE if(is_fact, noted_rows > stored_rows, noted_rows != stored_rows OR noted.build != stored.build)
  -- A batch notes tables without a row too. So a table without any note is newer than a batch that has notes: the
  -- version of the program that built the batch did not know it. No statement reads these tables for a batch of
  -- another version, but for eligibility, of which such a batch knows nothing.
  AND NOT (of_table IN ('summary_day_version', 'summary_family', 'summary_mover', 'flow_day', 'later_row', 'series_step', 'candidate_day', 'eligibility')
           AND stored_rows = 0 AND of_table NOT IN (SELECT table FROM noted)
           AND (SELECT count() FROM noted WHERE build = {batch:UInt64} AND piece = '') > 0)
ORDER BY of_table, of_piece
