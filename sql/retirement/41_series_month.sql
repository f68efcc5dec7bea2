ALTER TABLE series_month DROP PARTITION {batch:UInt64}
