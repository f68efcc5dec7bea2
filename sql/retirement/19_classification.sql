ALTER TABLE classification DROP PARTITION {batch:UInt64}
