ALTER TABLE fi_instrument DROP PARTITION {batch:UInt64}
