-- The files of a batch, each once.
SELECT DISTINCT dataset, sha256
FROM batch_file(batch = {batch:UInt64})
ORDER BY dataset, sha256
