-- Whether a batch is still kept: retirement takes its row first, so whatever was
-- read before this found the row was read whole.
--   batch  number of the batch
SELECT count() AS kept FROM batch WHERE batch = {batch:UInt64}
