-- Ids for keys that have none yet. An id is the CRC-32 of the key. If another key has that
-- id, or a lesser key asks for it in the same round, the key waits for the next attempt,
-- which hashes key#1, key#2 and so on (RULES 12). It runs with attempt 0, 1, 2 and so on
-- until no key waits. Series of mutual funds and of investment funds share one space of
-- ids, so that a table of series can hold both.
--
-- until: unregistered
INSERT INTO registry (kind, id, key, run, serie, batch)
SELECT kind, CRC32(if({attempt:UInt8} = 0, key, concat(key, '#', toString({attempt:UInt8})))) AS new_id, key, run, serie, {batch:UInt64}
FROM batch_registry_key(batch = {batch:UInt64}, since = {previous:UInt64})
WHERE (kind, key) NOT IN (SELECT kind, key FROM registry)
  AND (transform(kind, ['fi_series'], ['series']), new_id) NOT IN (SELECT transform(kind, ['fi_series'], ['series']), id FROM registry)
ORDER BY transform(kind, ['fi_series'], ['series']), new_id, key
LIMIT 1 BY transform(kind, ['fi_series'], ['series']), new_id
