-- Commands that were not carried out yet and that no plan has.
SELECT id, max(rebuild) AS rebuild, max(inspect) AS inspect
FROM project_command
WHERE id NOT IN (SELECT id FROM command_done) AND id NOT IN (SELECT arrayJoin(commands) FROM batch_plan)
GROUP BY id
ORDER BY min(asked_at), id
LIMIT 1000
