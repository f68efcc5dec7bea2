-- The files that are new in this batch: complete, and in no published batch.
INSERT INTO batch_new_file (batch, dataset, sha256, revision)
SELECT {batch:UInt64}, dataset, sha256, revision
FROM complete_file FINAL
WHERE sha256 NOT IN (SELECT sha256 FROM batch_file(batch = {previous:UInt64}))
