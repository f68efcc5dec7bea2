-- The files with a hash or a name, and what each of them has on a line: a row of the cartola, a rejected row, or neither.
--   file  hash or name of a file
--   line  the line
WITH
    files AS
    (
        SELECT known.dataset AS dataset, known.sha256 AS sha256, any(known.file) AS file
        FROM complete_file AS known
        INNER JOIN (SELECT DISTINCT dataset, sha256 FROM batch_file(batch = {batch:UInt64})) AS taken
            ON taken.dataset = known.dataset AND taken.sha256 = known.sha256
        WHERE known.sha256 = {file:String} OR known.file = {file:String}
        GROUP BY known.dataset, known.sha256
    )
SELECT
    files.dataset AS dataset, files.sha256 AS sha256, files.file AS file,
    toBool(found.line > 0) AS has_row, found.serie AS serie, found.date AS date, cuota_rol(found.run) AS run, names.series_id AS series_id,
    rejects.reason AS rejected, greatest(last.line, last_rejected.line) AS last_line
FROM files
LEFT JOIN
(
    SELECT toString(source_sha256) AS sha256, source_line AS line, run, toString(serie) AS serie, date
    FROM fact_quota
    WHERE source_sha256 IN (SELECT sha256 FROM files) AND source_line = {line:UInt32}
    ORDER BY void
    LIMIT 1 BY sha256
) AS found ON found.sha256 = files.sha256
LEFT JOIN batch_series_name(batch = {batch:UInt64}) AS names ON names.run = found.run AND names.serie = found.serie
LEFT JOIN
(
    SELECT toString(source_sha256) AS sha256, max(source_line) AS line FROM fact_quota
    WHERE source_sha256 IN (SELECT sha256 FROM files)
    GROUP BY sha256
) AS last ON last.sha256 = files.sha256
LEFT JOIN
(
    SELECT toString(source_sha256) AS sha256, max(source_line) AS line FROM rejected_row
    WHERE source_sha256 IN (SELECT sha256 FROM files)
    GROUP BY sha256
) AS last_rejected ON last_rejected.sha256 = files.sha256
LEFT JOIN
(
    SELECT toString(source_sha256) AS sha256, any(reason) AS reason FROM rejected_row
    WHERE source_sha256 IN (SELECT sha256 FROM files) AND source_line = {line:UInt32}
    GROUP BY sha256
) AS rejects ON rejects.sha256 = files.sha256
ORDER BY dataset, sha256
LIMIT 20
SETTINGS join_use_nulls = 0
