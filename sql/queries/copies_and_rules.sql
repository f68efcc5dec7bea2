-- The other copies that have built a plan, and the rules by which there are plans.
SELECT
    (SELECT groupUniqArray(1000)(copy) FROM plan_built WHERE copy NOT IN ('', {copy:String})) AS copies,
    (SELECT groupUniqArray(1000)(rules) FROM batch_plan) AS rules
