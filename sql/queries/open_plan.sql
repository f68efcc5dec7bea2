-- The oldest plan that is neither published here nor refused by its checks, and how many of its files have not arrived
-- whole. Plans for the rules of other programs are passed over.
--   rules  of the statements of this program
WITH (SELECT max(plan) FROM plan_batch) AS done
SELECT
    plan AS number, planned_at, rebuild,
    (SELECT count() FROM
        (SELECT arrayJoin(files) AS file FROM batch_plan FINAL WHERE plan = (SELECT min(plan) FROM batch_plan WHERE plan > done AND rules = {rules:String}))
     WHERE file NOT IN (SELECT sha256 FROM complete_file)) AS missing
FROM batch_plan FINAL
WHERE plan > done AND rules = {rules:String}
ORDER BY plan
LIMIT 1
