-- The published batches that a file is part of, the oldest first.
--   sha256  hash of the file, hex
SELECT batch, batch_id
FROM published_batch
WHERE batch >= (SELECT minOrNull(first_batch) FROM seen_file WHERE sha256 = {sha256:String})
ORDER BY batch
LIMIT 100000
