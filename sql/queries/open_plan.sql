-- The plan to build next, and how many of its files have not arrived whole. It is neither published here nor refused by its
-- checks. Plans for the rules of other programs are passed over, and those that nobody has built although somebody has
-- built a later one.
--   rules   of the statements of this program
--   newest  take the newest plan, which has the files of those before it, and not the oldest
WITH
    (SELECT max(plan) FROM plan_batch) AS done,
    (
        SELECT if({newest:Bool}, max(plan), min(plan)) FROM batch_plan
        WHERE plan > done AND rules = {rules:String}
          AND (plan IN (SELECT plan FROM plan_built) OR plan > (SELECT max(plan) FROM plan_built))
    ) AS next
SELECT
    plan AS number, planned_at, rebuild, notEmpty(commands) AS commanded,
    plan < (SELECT max(plan) FROM batch_plan) AS followed,
    (SELECT count() FROM (SELECT arrayJoin(files) AS file FROM batch_plan FINAL WHERE plan = next)
     WHERE file NOT IN (SELECT sha256 FROM complete_file)) AS missing
FROM batch_plan FINAL
WHERE plan = next AND next > done
