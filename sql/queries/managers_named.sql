-- The managers that some names mean, ignoring case and accents: one row for each name that
-- means any, with the name that replies show.
--   names  the names as requested
SELECT asked, min(managers.name) AS name, groupArray(managers.manager_id) AS managers
FROM (SELECT arrayJoin({names:Array(String)}) AS asked) AS wanted
INNER JOIN (SELECT manager_id, name FROM manager WHERE batch = {batch:UInt64}) AS managers
    ON cuota_fold(managers.name) = cuota_fold(wanted.asked)
GROUP BY asked
