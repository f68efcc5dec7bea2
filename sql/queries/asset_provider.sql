-- A manager by its id or that of one of its names. No row if there is none.
--   provider_id  the id
SELECT manager_id, name
FROM manager
WHERE batch = {batch:UInt64}
  AND (manager_id = {provider_id:UInt32}
       OR manager_id IN (SELECT manager_id FROM batch_manager_alias(batch = {batch:UInt64}) WHERE alias_id = {provider_id:UInt32}))
ORDER BY manager_id != {provider_id:UInt32}, manager_id
LIMIT 1
