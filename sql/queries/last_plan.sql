-- The last plan, and the lowest number that the next one may have.
--   rules     of the statements of this program
--   hopeless  since the published batch, a batch with every day built anew by these rules was refused here
SELECT
    greatest((SELECT max(plan) FROM batch_plan), (SELECT max(plan) FROM plan_attempt)) AS last,
    (SELECT argMax(id, plan) FROM batch_plan) AS id,
    (SELECT argMax(rules, plan) FROM batch_plan) AS rules,
    (SELECT argMax(copy, plan) FROM batch_plan) AS copy,
    (
        SELECT count() > 0 FROM batch_plan
        WHERE rebuild AND batch_plan.rules = {rules:String} AND plan > (SELECT max(plan) FROM plan_batch WHERE failure = '')
          AND plan IN (SELECT plan FROM plan_batch WHERE failure != '')
    ) AS hopeless,
    -- A number that a public name of a batch has is not used again.
    greatest(last, (SELECT max(plan) FROM plan_batch), (SELECT max(batch) FROM batch WHERE last = 0)) + 1 AS next
