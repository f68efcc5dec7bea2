-- The names of files of a batch, and when each was seen first (seen_file): a row for each of some
-- files, or of all. What is not known is null.
--   files      hashes of the files
--   all_files  true: every file of the batch, whatever the list
SELECT sha256, nullIf(any(named.file), '') AS file, min(seen.seen_at) AS seen_at
FROM (SELECT DISTINCT sha256 FROM batch_file(batch = {batch:UInt64}) WHERE {all_files:Bool} OR sha256 IN {files:Array(String)}) AS files
LEFT JOIN (SELECT sha256, file FROM complete_file) AS named USING (sha256)
LEFT JOIN (SELECT sha256, seen_at FROM seen_file) AS seen USING (sha256)
GROUP BY sha256
ORDER BY sha256
