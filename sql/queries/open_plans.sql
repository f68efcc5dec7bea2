-- The plans that are neither published here nor refused by their checks, oldest first, and how many of their files
-- have not arrived whole.
WITH
    (SELECT max(plan) FROM plan_batch) AS done,
    missing AS
    (
        SELECT plan, count() AS files
        FROM (SELECT plan, arrayJoin(files) AS file FROM batch_plan FINAL WHERE plan > done)
        WHERE file NOT IN (SELECT sha256 FROM complete_file)
        GROUP BY plan
    )
SELECT plan AS number, planned_at, rebuild, rules, copy, missing.files AS missing
FROM (SELECT plan, planned_at, rebuild, rules, copy FROM batch_plan FINAL WHERE plan > done) AS unfinished
LEFT JOIN missing USING (plan)
ORDER BY plan
LIMIT 1000
