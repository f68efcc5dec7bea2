-- A batch that was published did not fail.
DELETE FROM batch_failure WHERE batch IN {failures:Array(UInt64)}
