ALTER TABLE window_target DROP PARTITION {batch:UInt64}
