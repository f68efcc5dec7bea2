ALTER TABLE series_break DROP PARTITION {batch:UInt64}
