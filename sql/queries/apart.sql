-- Whether this copy differs from the others, in one row.
--   copy      its name
--   plan      a plan, for heard
--   now       the time
--   since     the last plan that was refused here, and that another copy has built, since this copy published a batch
--             that was compared; 0: none
--   outvoted  the last plan that is published here although a larger group of copies announced rows that are equal
--             among them and not those of this copy; 0: none. A later batch with every day built anew ends that, if no
--             larger group contradicts it, and another copy agrees with it or somebody has asked for it.
--   heard     another copy has announced its rows of the plan
--   mendable  the copy was refused, and no batch with every day built anew since then. It plans at most one in a day.
WITH
    said AS
    (
        SELECT plan, copy, argMax(arraySort(arrayZip(tables, checksums)), place) AS sums
        FROM plan_built
        WHERE notEmpty(tables) AND plan + 100 > (SELECT max(plan) FROM plan_built)
        GROUP BY plan, copy
    ),
    votes AS
    (
        SELECT plan, maxIf(copies, ours > 0) AS same, maxIf(copies, ours = 0) AS most
        FROM
        (
            SELECT plan, sums, count() AS copies, countIf(copy = {copy:String}) AS ours FROM said GROUP BY plan, sums
        ) AS groups
        WHERE plan IN (SELECT plan FROM plan_batch WHERE failure = '')
        GROUP BY plan
        HAVING same > 0
    ),
    (
        SELECT max(plan) FROM votes
        WHERE same > most AND plan IN (SELECT plan FROM batch_plan WHERE rebuild)
          AND (same > 1 OR plan IN (SELECT plan FROM batch_plan WHERE notEmpty(commands)))
    ) AS agreed,
    (
        SELECT max(plan) FROM plan_batch
        WHERE failure = '' AND plan NOT IN (SELECT plan FROM plan_built WHERE copy = {copy:String} AND empty(tables))
    ) AS compared
SELECT
    (
        SELECT max(plan) FROM plan_batch
        WHERE failure != '' AND plan > compared AND plan IN (SELECT plan FROM plan_built WHERE copy != {copy:String})
    ) AS since,
    (SELECT max(plan) FROM votes WHERE most > same AND plan > agreed) AS outvoted,
    (
        SELECT count() > 0 FROM plan_built WHERE plan = {plan:UInt64} AND notEmpty(tables) AND copy != {copy:String}
    ) AS heard,
    since > 0
        AND (SELECT count() FROM batch_plan
             WHERE rebuild AND plan > compared AND plan IN (SELECT plan FROM plan_batch WHERE failure != '')) = 0
        AND (SELECT count() FROM batch_plan
             WHERE rebuild AND empty(commands) AND copy = {copy:String}
               AND planned_at > {now:DateTime64(3, 'UTC')} - INTERVAL 1 DAY) = 0 AS mendable
