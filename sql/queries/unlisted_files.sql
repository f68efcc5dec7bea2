-- Files that are part of a batch but missing from the list of complete files or from the
-- list of manifests.
SELECT sha256
FROM batch_file(batch = {batch:UInt64})
WHERE sha256 NOT IN (SELECT sha256 FROM complete_file) OR sha256 NOT IN (SELECT sha256 FROM manifest)
ORDER BY sha256
