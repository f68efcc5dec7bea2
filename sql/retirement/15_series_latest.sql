ALTER TABLE series_latest DROP PARTITION {batch:UInt64}
