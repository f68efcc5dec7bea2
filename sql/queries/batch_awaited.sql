-- For a command that waits for a batch, in one row: the newest attempt, whether it is being
-- built and how far it is, and the newest attempt that failed after the last published
-- batch.
--   since  attempts up to this number began before the command, and do not concern it
--   files  hashes of the files that the command waits for
WITH
    (SELECT max(batch) FROM batch) AS published,
    (SELECT max(batch) FROM batch_attempt) AS newest,
    (SELECT max(batch) FROM batch_failure WHERE batch > published AND batch > {since:UInt64}) AS failed
SELECT
    newest,
    newest > published AND newest NOT IN (SELECT batch FROM batch_failure) AS building,
    (SELECT max(done) FROM batch_progress WHERE batch = newest) AS done,
    (SELECT max(projections) FROM batch_progress WHERE batch = newest) AS projections,
    failed,
    (SELECT any(reason) FROM batch_failure WHERE batch = failed) AS reason,
    -- A batch that was refused is built again only when something new arrives.
    (SELECT max(refused) FROM batch_failure WHERE batch = failed)
        AND (SELECT count() > 0 FROM batch_new_file WHERE batch <= failed AND sha256 IN {files:Array(String)}) AS refused
