-- Whether the last attempt to build a batch failed and none was published since. An attempt
-- that was interrupted, because a process was stopped or killed, did not fail.
SELECT count() > 0 AS failing
FROM batch_failure
WHERE batch > (SELECT max(batch) FROM batch) AND NOT startsWith(reason, 'interrupted: ')
