-- Ids that must go, because their key has another id or their id has another key
-- (doubled_id). A key that is left without an id gets one in the batch that is being built.
--
-- garbage: doubled
DELETE FROM registry WHERE (id, batch, cityHash64(kind, key)) IN {ids:Array(Tuple(UInt32, UInt64, UInt64))}
