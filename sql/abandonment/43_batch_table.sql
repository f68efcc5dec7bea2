-- What a batch that was never published noted of itself and of days. What it noted of files
-- holds for whichever batch reads them.
DELETE FROM batch_table WHERE batch = {batch:UInt64} AND length(piece) != 64
