-- Whether the last attempt to build a batch failed, and none was published since.
SELECT count() > 0 AS failing
FROM batch_failure
WHERE batch > (SELECT max(batch) FROM batch)
