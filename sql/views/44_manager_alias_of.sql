-- Ids of names under which batch N lists no manager of its own, because a manager with
-- a RUT has the name, and that manager's id. An id that was given out before the RUT was
-- known so goes on finding the manager.
--   SELECT * FROM manager_alias_of(batch = 7)
CREATE OR REPLACE VIEW manager_alias_of AS
SELECT registered.id AS alias_id, named.manager_id AS manager_id
FROM (SELECT id, serie AS words FROM registry WHERE kind = 'manager' AND run = 0) AS registered
INNER JOIN (SELECT words, manager_id FROM manager_named_of(batch = {batch:UInt64}) WHERE rut IS NOT NULL) AS named USING (words)
