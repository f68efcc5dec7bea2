-- The managers that some names mean, case and accents apart: one row for each
-- name that means any, with what to call it in a reply.
--   batch  number of the batch
--   names  as they were asked for
SELECT asked, min(managers.name) AS name, groupArray(managers.manager_id) AS managers
FROM (SELECT arrayJoin({names:Array(String)}) AS asked) AS wanted
INNER JOIN (SELECT manager_id, name FROM manager WHERE batch = {batch:UInt64}) AS managers
    ON cuota_fold(managers.name) = cuota_fold(wanted.asked)
GROUP BY asked
