-- Ids for keys that have none yet: CRC-32 of the key; where that id is taken, or
-- wanted by a lesser key at the same time, the key waits for the next attempt,
-- which hashes key#1, key#2 … (RULES 12). Run with attempt 0, 1, 2 … until
-- nothing waits. Both kinds of series share one space of ids, so that whatever is
-- kept by series can hold both.
INSERT INTO registry (kind, id, key, run, serie, batch)
SELECT kind, CRC32(if({attempt:UInt8} = 0, key, concat(key, '#', toString({attempt:UInt8})))) AS new_id, key, run, serie, {batch:UInt64}
FROM registry_candidate(batch = {batch:UInt64}, since = {previous:UInt64})
WHERE (kind, key) NOT IN (SELECT kind, key FROM registry)
  AND (transform(kind, ['fi_series'], ['series']), new_id) NOT IN (SELECT transform(kind, ['fi_series'], ['series']), id FROM registry)
ORDER BY transform(kind, ['fi_series'], ['series']), new_id, key
LIMIT 1 BY transform(kind, ['fi_series'], ['series']), new_id
