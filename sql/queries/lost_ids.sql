-- How many ids are in the second copy of the registry alone, and not in use by another key.
SELECT count() AS lost FROM registry_copy WHERE (kind, key) NOT IN (SELECT kind, key FROM registry)
  AND (transform(kind, ['fi_series'], ['series']), id) NOT IN (SELECT transform(kind, ['fi_series'], ['series']), id FROM registry)
