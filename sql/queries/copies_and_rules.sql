-- The last plan that each other copy has built, and the last plan by each version of the rules.
WITH
    built AS (
        SELECT toString(copy) AS name, max(plan) AS last FROM plan_built WHERE copy NOT IN ('', {copy:String})
        GROUP BY name ORDER BY last DESC LIMIT 1000
    ),
    planned AS (SELECT toString(rules) AS version, max(plan) AS last FROM batch_plan GROUP BY version ORDER BY last DESC LIMIT 1000)
SELECT
    (SELECT mapFromArrays(groupArray(name), groupArray(last)) FROM built) AS copies,
    (SELECT mapFromArrays(groupArray(version), groupArray(last)) FROM planned) AS rules
