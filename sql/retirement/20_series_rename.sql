ALTER TABLE series_rename DROP PARTITION {batch:UInt64}
