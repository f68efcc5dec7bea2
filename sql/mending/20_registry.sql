-- Ids that lose against another of the same key, or of another key (doubled_id). A key
-- that has no id left gets one in the batch that is being built.
DELETE FROM registry WHERE (id, batch, cityHash64(kind, key)) IN {ids:Array(Tuple(UInt32, UInt64, UInt64))}
