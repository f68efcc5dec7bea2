-- The rows of a batch in a table that is partitioned by batch.
--
-- each: batch
ALTER TABLE {table:Identifier} DROP PARTITION {batch:UInt64}
