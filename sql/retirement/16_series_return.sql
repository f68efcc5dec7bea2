ALTER TABLE series_return DROP PARTITION {batch:UInt64}
