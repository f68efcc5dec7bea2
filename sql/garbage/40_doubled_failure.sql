-- A batch that was published did not fail, so its note of a failure is wrong.
--
-- garbage: doubled
DELETE FROM batch_failure WHERE batch IN {failures:Array(UInt64)}
