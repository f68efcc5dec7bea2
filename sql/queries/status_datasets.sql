-- For each dataset: the number of complete files and of files that are still arriving, and
-- the rows, rejected rows and last date of all of them. The manifest of a file says how
-- many of its rows were rejected, even after these rows are dropped. A file without a
-- manifest was refused as a whole, or its ingest broke off. For such files the stored
-- rejected rows are counted.
SELECT
    dataset,
    countIf(complete)     AS files,
    countIf(NOT complete) AS waiting,
    sum(rows)             AS rows,
    max(last_date)        AS last_date,
    sum(files.rejected) + any(refused.lines) AS rejected
FROM
(
    SELECT dataset, sha256, rows, rejected, last_date, sha256 IN (SELECT sha256 FROM complete_file) AS complete
    FROM manifest FINAL
) AS files
FULL JOIN (SELECT dataset, count() AS lines FROM rejected_row FINAL
    WHERE source_sha256 NOT IN (SELECT sha256 FROM manifest) GROUP BY dataset) AS refused USING (dataset)
GROUP BY dataset
