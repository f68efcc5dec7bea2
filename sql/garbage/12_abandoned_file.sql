-- Rows of batch_new_file of a batch that was never published.
--
-- garbage: abandoned
DELETE FROM batch_new_file WHERE batch = {batch:UInt64}
