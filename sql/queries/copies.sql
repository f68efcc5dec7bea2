-- What each copy has announced as built.
--   plans         how many plans
--   answers_from  when servers begin to answer from its last plan, as this copy says; the first announcement counts
--   behind        plans after its last one
WITH (SELECT groupUniqArray(plan) FROM batch_plan) AS planned
SELECT
    copy, uniqExact(plan) AS plans, max(plan) AS last_plan, argMax(built_at, (plan, place)) AS answers_from,
    toUInt64(arrayCount(number -> number > last_plan, planned)) AS behind
FROM plan_built
GROUP BY copy
ORDER BY copy
LIMIT 1000
