ALTER TABLE continued_history DROP PARTITION {batch:UInt64}
