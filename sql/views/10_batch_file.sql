-- The files that a batch is made of.
--   SELECT * FROM batch_file(batch = 7)
CREATE OR REPLACE VIEW batch_file AS
SELECT DISTINCT dataset, sha256, revision
FROM batch_new_file
WHERE batch <= {batch:UInt64} AND (batch = {batch:UInt64} OR batch NOT IN (SELECT batch FROM batch_failure))
