-- The rows of a batch in a table that is partitioned by batch.
--
-- garbage: retired
-- each: batch
ALTER TABLE {table:Identifier} DROP PARTITION {batch:UInt64}
