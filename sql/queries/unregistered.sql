-- The number of keys that still wait for an id.
SELECT count() AS waiting FROM batch_registry_key(batch = {batch:UInt64}, since = {previous:UInt64})
WHERE (kind, key) NOT IN (SELECT kind, key FROM registry)
