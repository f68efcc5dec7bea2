-- The notes of a batch that was never published. The batch may have read damaged tables, and
-- the next one notes the same days and files itself.
--
-- garbage: abandoned
DELETE FROM batch_table WHERE batch = {batch:UInt64}
