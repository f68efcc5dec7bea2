-- The last plan that there is, and the batch that is published here, with its plan. Numbers are 0 if there is none.
WITH (SELECT max(batch) FROM batch) AS newest
SELECT
    (SELECT max(plan) FROM batch_plan)                                       AS last_plan,
    (SELECT argMax(planned_at, plan) FROM batch_plan)                        AS planned_at,
    (SELECT argMax(copy, plan) FROM batch_plan)                              AS planned_by,
    newest                                                                   AS number,
    (SELECT argMax(batch_id, batch) FROM batch)                              AS batch_id,
    (SELECT max(plan) FROM plan_batch WHERE failure = '' AND batch = newest) AS plan
