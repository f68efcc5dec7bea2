-- The files with a hash or a name, and what each of them has on a line: a row of the cartola, a rejected row, or neither.
-- A line has both if it was rejected, and accepted when its file was ingested again. Its row is void if it has no other.
--   file  hash or name of a file
--   line  the line
WITH
    files AS
    (
        -- A file that states no dates may have rows of any day. Void rows outside its dates are in rejected_row.
        SELECT known.dataset AS dataset, known.sha256 AS sha256, any(known.file) AS file,
               min(ifNull(known.first_date, toDate(0)))           AS from_date,
               max(ifNull(known.last_date, toDate('2149-06-06'))) AS to_date
        FROM complete_file AS known
        INNER JOIN (SELECT DISTINCT dataset, sha256 FROM batch_file(batch = {batch:UInt64})) AS taken
            ON taken.dataset = known.dataset AND taken.sha256 = known.sha256
        WHERE known.sha256 = lower({file:String}) OR known.file = {file:String}
        GROUP BY known.dataset, known.sha256
    )
SELECT
    files.dataset AS dataset, files.sha256 AS sha256, files.file AS file,
    found.has_row AS has_row, found.at_line.4 AS void, found.at_line.2 AS serie, found.at_line.3 AS date,
    cuota_rol(found.at_line.1) AS run, names.series_id AS series_id,
    rejects.reason AS rejected, greatest(found.last_line, rejects.last_line) AS last_line
FROM files
LEFT JOIN
(
    -- If no cartola is found, both bounds are 1970-01-01, and nothing is read.
    SELECT
        toString(source_sha256) AS sha256, max(source_line) AS last_line, toBool(countIf(source_line = {line:UInt32}) > 0) AS has_row,
        argMinIf((run, toString(serie), date, void), void, source_line = {line:UInt32}) AS at_line
    FROM fact_quota
    WHERE source_sha256 IN (SELECT sha256 FROM files WHERE dataset = 'cartola')
      AND date BETWEEN (SELECT min(from_date) FROM files WHERE dataset = 'cartola')
                   AND (SELECT max(to_date) FROM files WHERE dataset = 'cartola')
    GROUP BY sha256
) AS found ON found.sha256 = files.sha256
LEFT JOIN batch_series_name(batch = {batch:UInt64}) AS names ON names.run = found.at_line.1 AND names.serie = found.at_line.2
LEFT JOIN
(
    SELECT toString(source_sha256) AS sha256, max(source_line) AS last_line, anyIf(reason, source_line = {line:UInt32}) AS reason
    FROM rejected_row
    WHERE source_sha256 IN (SELECT sha256 FROM files)
    GROUP BY sha256
) AS rejects ON rejects.sha256 = files.sha256
ORDER BY dataset, sha256
LIMIT 20
SETTINGS join_use_nulls = 0
