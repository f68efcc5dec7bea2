-- The notes of a batch that was never published, about itself and about days. Its notes
-- about files stay, because they are valid for any batch that reads the files.
--
-- garbage: abandoned
DELETE FROM batch_table WHERE batch = {batch:UInt64} AND length(piece) != 64
