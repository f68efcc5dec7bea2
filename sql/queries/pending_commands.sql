-- Commands that were not carried out yet.
SELECT id, max(rebuild) AS rebuild, max(inspect) AS inspect
FROM project_command
WHERE id NOT IN (SELECT id FROM command_done)
GROUP BY id
ORDER BY min(asked_at), id
LIMIT 1000
