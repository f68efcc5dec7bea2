-- Restores to the registry the ids that only its second copy has, unless another key uses
-- the id.
INSERT INTO registry (kind, id, key, run, serie, batch)
SELECT kind, id, key, run, serie, batch
FROM registry_copy
WHERE (kind, key) NOT IN (SELECT kind, key FROM registry)
  AND (transform(kind, ['fi_series'], ['series']), id) NOT IN (SELECT transform(kind, ['fi_series'], ['series']), id FROM registry)
