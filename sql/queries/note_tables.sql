-- Notes how many rows the batch has in every table, right before it is published. Days that
-- an older batch built, and files that an older batch read, were noted by that batch.
--   since  the newest published batch with such notes; 0 if there is none
INSERT INTO batch_table (batch, table, piece, rows)
SELECT batch, table, piece, rows FROM
(
    SELECT {batch:UInt64} AS batch, table, '' AS piece, rows FROM batch_row_count(batch = {batch:UInt64})
    UNION ALL
    SELECT build, table, toString(date), rows FROM batch_day_row_count(batch = {batch:UInt64}, since = {since:UInt64})
    UNION ALL
    SELECT {batch:UInt64}, table, file, rows FROM fact_row_count(since = {since:UInt64})
    WHERE file IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
      AND (table, file) NOT IN (SELECT table, piece FROM batch_table WHERE batch NOT IN (SELECT batch FROM batch_failure))
)
WHERE (table, piece, batch) NOT IN (SELECT table, piece, batch FROM batch_table)
