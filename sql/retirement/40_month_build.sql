ALTER TABLE month_build DROP PARTITION {batch:UInt64}
