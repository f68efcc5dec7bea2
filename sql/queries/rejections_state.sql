-- Changes when rows of a file are rejected, a file is ingested again, or a person decides on one. It may also change when ClickHouse
-- merges rows. It does not change when a void row arrives alone, which closes a rejection of a file that never
-- became complete; that is seen with the next batch.
SELECT count() AS rows, sum(hash) AS hash
FROM
(
    SELECT cityHash64(dataset, source_sha256, source_line, arrived_at) AS hash FROM rejected_row
    UNION ALL
    SELECT cityHash64(toString(tuple(*))) FROM manifest
    UNION ALL
    SELECT cityHash64(toString(tuple(*))) FROM complete_file
    UNION ALL
    SELECT cityHash64(toString(tuple(*))) FROM file_judgement
)
