-- How many ids only the second copy of the registry has, and no other key uses.
SELECT count() AS lost FROM registry_copy WHERE (kind, key) NOT IN (SELECT kind, key FROM registry)
  AND (transform(kind, ['fi_series'], ['series']), id) NOT IN (SELECT transform(kind, ['fi_series'], ['series']), id FROM registry)
