-- Notes the commands whose plan led to a batch, published or refused. A plan that was passed over has led to that of the
-- next plan.
INSERT INTO command_done (id, batch, done_at, failure)
SELECT named.id, argMin(done.batch, done.plan), {now:DateTime64(3, 'UTC')}, argMin(done.failure, done.plan)
FROM
(
    SELECT plan, arrayJoin(commands) AS id FROM batch_plan FINAL
    WHERE hasAny(commands, (SELECT groupArray(id) FROM project_command WHERE id NOT IN (SELECT id FROM command_done)))
) AS named
CROSS JOIN (SELECT plan, max(batch) AS batch, argMax(failure, plan_batch.batch) AS failure FROM plan_batch GROUP BY plan) AS done
WHERE done.plan >= named.plan AND named.id NOT IN (SELECT id FROM command_done)
GROUP BY named.id
