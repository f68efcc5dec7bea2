-- The last plan, whether it was refused here, and the lowest number that the next one may have.
SELECT
    greatest((SELECT max(plan) FROM batch_plan), (SELECT max(plan) FROM plan_attempt)) AS last,
    (SELECT argMax(id, plan) FROM batch_plan) AS id,
    (SELECT argMax(rules, plan) FROM batch_plan) AS rules,
    (SELECT argMax(copy, plan) FROM batch_plan) AS copy,
    (SELECT argMax(rebuild, plan) FROM batch_plan) AS rebuild,
    (SELECT count() > 0 FROM plan_batch WHERE plan = last AND failure != '') AS refused,
    -- A number that a public name of a batch has is not used again.
    greatest(last, (SELECT max(plan) FROM plan_batch), (SELECT max(batch) FROM batch WHERE last = 0)) + 1 AS next
