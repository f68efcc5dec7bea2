-- The managers of the batch by their RUT.
SELECT id AS manager_id, registered.run AS manager_rut, named.name AS name
FROM (SELECT id, run FROM registry WHERE kind = 'manager' AND run != 0) AS registered
INNER JOIN (SELECT manager_id, name FROM manager WHERE batch = {batch:UInt64}) AS named
    ON named.manager_id = registered.id
