ALTER TABLE series_label DROP PARTITION {batch:UInt64}
