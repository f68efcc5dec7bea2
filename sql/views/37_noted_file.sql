-- The files of which a published batch has noted how many facts they have. Notes of batches
-- that were not published do not count, because the batch may have read damaged tables; nor
-- do notes about tables that do not exist any more.
--   SELECT count() FROM noted_file
CREATE OR REPLACE VIEW noted_file AS
SELECT DISTINCT piece AS sha256
FROM batch_table
WHERE length(piece) = 64
  AND batch <= (SELECT max(batch) FROM batch) AND batch NOT IN (SELECT batch FROM batch_failure)
  AND table IN (SELECT name FROM system.tables WHERE database = currentDatabase())
