ALTER TABLE continuation DROP PARTITION {batch:UInt64}
