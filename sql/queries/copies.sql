-- What each copy has announced to have built.
--   plans         how many plans
--   answers_from  from when on servers answer from its last plan, as the copy says; the copy that was first decides
--   behind        plans after its last one
WITH (SELECT groupUniqArray(plan) FROM batch_plan) AS planned
SELECT
    copy, uniqExact(plan) AS plans, max(plan) AS last_plan, argMax(built_at, (plan, place)) AS answers_from,
    toUInt64(arrayCount(number -> number > last_plan, planned)) AS behind
FROM plan_built
GROUP BY copy
ORDER BY copy
LIMIT 1000
