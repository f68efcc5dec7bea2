-- Notes the rows of renamed tables under their names of today. If it is run again, it adds
-- nothing.
INSERT INTO batch_table (batch, table, piece, rows)
SELECT DISTINCT noted.batch, renamed.name, noted.piece, noted.rows
FROM batch_table AS noted
INNER JOIN former_name AS renamed ON renamed.former = noted.table AND renamed.sorting_key != ''
WHERE (renamed.name, noted.piece, noted.batch) NOT IN (SELECT table, piece, batch FROM batch_table)
