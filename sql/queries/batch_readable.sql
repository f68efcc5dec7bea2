-- Whether a batch is still kept, and whether it was found damaged. Retirement deletes the
-- row of a batch before its other rows, and damage is recorded before it is repaired. So if
-- this statement finds the row and no damage, then everything that was read before it is
-- complete.
SELECT count() AS kept, {batch:UInt64} IN (SELECT batch FROM batch_damage) AS damaged FROM batch WHERE batch = {batch:UInt64}
