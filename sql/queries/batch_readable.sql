-- Whether a batch is still kept, and was found damaged. Retirement takes its row first, and
-- damage is noted before it is mended: whatever was read before this found the row and no
-- damage was read whole.
--   batch  number of the batch
SELECT count() AS kept, {batch:UInt64} IN (SELECT batch FROM batch_damage) AS damaged FROM batch WHERE batch = {batch:UInt64}
