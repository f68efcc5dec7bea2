-- The rows of a TABLE of facts as batch N sees them: of the rows with one KEY in its files, the one with the highest
-- revision counts, then the greater hash, then the later line.
SELECT *
FROM TABLE
WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
ORDER BY KEY, parts.newest_first
LIMIT 1 BY KEY
