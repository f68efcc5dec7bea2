-- Notes the commands whose plan led to a batch, published or refused.
INSERT INTO command_done (id, batch, done_at, failure)
SELECT named.id, done.batch, {now:DateTime64(3, 'UTC')}, done.failure
FROM (SELECT plan, arrayJoin(commands) AS id FROM batch_plan FINAL) AS named
INNER JOIN (SELECT plan, max(batch) AS batch, argMax(failure, plan_batch.batch) AS failure FROM plan_batch GROUP BY plan) AS done USING (plan)
WHERE named.id NOT IN (SELECT id FROM command_done)
