-- The notes of an old batch about itself. Those about days and files are valid for later
-- batches too.
--
-- garbage: retired
DELETE FROM batch_table WHERE batch = {batch:UInt64} AND piece = ''
