-- The files that a batch is made of.
--   SELECT * FROM batch_file(batch = 7)
CREATE OR REPLACE VIEW batch_file AS
SELECT DISTINCT dataset, sha256, revision
FROM batch_new_file
WHERE parts.seen_by_batch(key: batch)
