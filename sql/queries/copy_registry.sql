-- Copies the ids that were given out since the last batch to the second copy of the
-- registry.
INSERT INTO registry_copy (kind, id, key, run, serie, batch)
SELECT kind, id, key, run, serie, batch
FROM registry
WHERE (kind, id, key) NOT IN (SELECT kind, id, key FROM registry_copy)
