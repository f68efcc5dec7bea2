-- A batch that was published did not fail, so its note of a failure is wrong.
DELETE FROM batch_failure WHERE batch IN {failures:Array(UInt64)}
