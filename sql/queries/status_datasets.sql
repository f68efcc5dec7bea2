-- Per dataset: complete files, files that are still arriving, and the rows,
-- rejected rows and last date of all of them.
SELECT
    dataset,
    countIf(complete)     AS files,
    countIf(NOT complete) AS waiting,
    sum(rows)             AS rows,
    max(last_date)        AS last_date,
    any(refused.lines)    AS rejected
FROM
(
    SELECT dataset, sha256, rows, last_date, sha256 IN (SELECT sha256 FROM source) AS complete
    FROM manifest FINAL
) AS files
FULL JOIN (SELECT dataset, count() AS lines FROM rejected_row FINAL GROUP BY dataset) AS refused USING (dataset)
GROUP BY dataset
