-- Which rejected rows of a DATASET (VOID, of the TABLE) are superseded by a better row of a complete file.
SELECT
    'DATASET' AS dataset, VOID.sha256 AS sha256, VOID.source_line AS source_line,
    best.row > (VOID.revision, VOID.sha256, VOID.source_line, 0) AS superseded
FROM VOID
LEFT JOIN
(
    SELECT run, serie, date, max((revision, toString(source_sha256), source_line, toUInt8(NOT void))) AS row
    FROM TABLE
    WHERE (run, serie, date) IN (SELECT run, serie, date FROM VOID)
      AND source_sha256 IN (SELECT sha256 FROM complete)
    GROUP BY run, serie, date
) AS best USING (run, serie, date)
