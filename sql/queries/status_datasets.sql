-- For each dataset: the number of complete files and of files that are still arriving, and
-- the rows, rejected rows and last date of all of them. The manifest of a file says how
-- many of its rows were rejected, even after these rows are dropped. A file without a
-- manifest was refused as a whole, or its ingest broke off. For such files the stored
-- rejected rows are counted. findings are the differences between files and the files before
-- them, and quarantined the files that wait for a person. due_on is the day by which the next
-- data should be here, and overdue_days how long ago that was; both are null if nothing is
-- expected.
--   today  the day in Santiago
SELECT
    dataset,
    countIf(complete)     AS files,
    countIf(NOT complete) AS waiting,
    sum(rows)             AS rows,
    max(last_date)        AS last_date,
    sum(files.rejected) + any(refused.lines) AS rejected,
    any(judged.findings)    AS findings,
    any(judged.quarantined) AS quarantined,
    any(due.due_on)         AS due_on,
    dateDiff('day', any(due.due_on), {today:Date}) AS overdue_days
FROM
(
    SELECT dataset, sha256, rows, rejected, last_date, sha256 IN (SELECT sha256 FROM complete_file) AS complete
    FROM manifest FINAL
) AS files
FULL JOIN (SELECT dataset, count() AS lines FROM rejected_row FINAL
    WHERE source_sha256 NOT IN (SELECT sha256 FROM manifest) GROUP BY dataset) AS refused USING (dataset)
FULL JOIN
(
    SELECT dataset, sum(length(finding_kind)) AS findings, countIf(state = 'quarantined') AS quarantined
    FROM file_judgement FINAL GROUP BY dataset
) AS judged USING (dataset)
LEFT JOIN (SELECT dataset, due_on FROM dataset_due) AS due USING (dataset)
GROUP BY dataset
