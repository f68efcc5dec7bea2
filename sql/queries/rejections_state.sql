-- Changes when rows of a file are rejected or a file is ingested again, and so whenever the rows of
-- rejected_files.sql may change. It may also change when ClickHouse merges rows.
SELECT count() AS rows, sum(hash) AS hash
FROM
(
    SELECT cityHash64(dataset, source_sha256, source_line, arrived_at) AS hash FROM rejected_row
    UNION ALL
    SELECT ifNull(cityHash64(*), 0) FROM manifest
    UNION ALL
    SELECT ifNull(cityHash64(*), 0) FROM complete_file
)
