-- Ids of names that are no managers of their own in batch N, because a manager with a RUT
-- has the name, each with the id of that manager. So an id that was given out before the
-- RUT was known still finds the manager.
--   SELECT * FROM batch_manager_alias(batch = 7)
CREATE OR REPLACE VIEW batch_manager_alias AS
SELECT registered.id AS alias_id, named.manager_id AS manager_id
FROM (SELECT id, serie AS words FROM registry WHERE kind = 'manager' AND run = 0) AS registered
INNER JOIN (SELECT words, manager_id FROM batch_manager_by_name(batch = {batch:UInt64}) WHERE rut IS NOT NULL) AS named USING (words)
