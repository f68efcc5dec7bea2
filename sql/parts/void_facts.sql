-- The facts of a TABLE that stand for rejected rows of a DATASET.
SELECT run, serie, date, revision, toString(source_sha256) AS sha256, source_line
FROM TABLE FINAL
WHERE void AND source_sha256 IN (SELECT source_sha256 FROM rejected_row WHERE dataset = 'DATASET')
