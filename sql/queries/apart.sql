-- Whether this copy differs from the others, in one row. A copy votes for the rows that it announced for a plan. The vote
-- that counts is that on the last plan for which this copy and another one announced different rows, until the copy has
-- published a batch with every day built anew that another copy agrees with.
--   copy      its name
--   plan      a plan, for heard
--   now       the time
--   since     the last plan that was refused here since the published batch, and that another copy has built; 0: none
--   outvoted  the plan that is published here although a larger group of copies announced other rows; 0: none
--   yields    it is probably this copy that is wrong: it was refused, and no larger group announced its rows, or it is outvoted
--   heard     another copy has announced its rows of the plan
--   mendable  a batch with every day built anew may help: none was planned since then. If the difference is in such a batch,
--             another one helps if most copies agree with this one and a wrong one was first. A copy plans one in a day.
WITH
    (SELECT max(plan) FROM plan_batch WHERE failure = '') AS published,
    votes AS
    (
        SELECT plan, maxIf(copies, ours > 0) AS same, maxIf(copies, ours = 0) AS most
        FROM
        (
            SELECT plan, sums, count() AS copies, countIf(copy = {copy:String}) AS ours
            FROM
            (
                SELECT plan, copy, argMax(arraySort(arrayZip(tables, checksums)), place) AS sums
                FROM plan_built
                WHERE notEmpty(tables) AND plan + 1000 > (SELECT max(plan) FROM plan_built)
                GROUP BY plan, copy
            ) AS announced
            GROUP BY plan, sums
        ) AS groups
        GROUP BY plan
        HAVING same > 0
    ),
    (
        SELECT argMax((plan, same, most), plan) AS last
        FROM votes
        WHERE most > 0 AND plan >
        (
            SELECT max(plan) FROM votes
            WHERE same > 1 AND plan IN (SELECT plan FROM batch_plan WHERE rebuild)
              AND plan IN (SELECT plan FROM plan_batch WHERE failure = '')
        )
    ) AS vote,
    vote.1 AS contested,
    vote.2 > vote.3 AS confirmed,
    (SELECT count() > 0 FROM plan_batch WHERE plan = contested AND failure != '') AS refused,
    (
        SELECT max(plan) FROM plan_batch
        WHERE failure != '' AND plan > published AND plan IN (SELECT plan FROM plan_built WHERE copy != {copy:String})
    ) AS unpublished,
    if(NOT refused AND vote.3 > vote.2, contested, 0) AS contradicted,
    if(contested > 0, contested, unpublished) AS base
SELECT
    unpublished AS since,
    contradicted AS outvoted,
    unpublished > 0 AND NOT confirmed OR contradicted > 0 AS yields,
    (SELECT count() > 0 FROM plan_built WHERE plan = {plan:UInt64} AND notEmpty(tables) AND copy != {copy:String}) AS heard,
    (unpublished > 0 OR contradicted > 0)
        AND (SELECT count() FROM batch_plan WHERE rebuild AND plan > base) = 0
        AND if((SELECT count() > 0 FROM batch_plan WHERE rebuild AND plan = base), refused AND confirmed,
               (SELECT count() FROM batch_plan
                WHERE rebuild AND empty(commands) AND copy = {copy:String}
                  AND planned_at > {now:DateTime64(3, 'UTC')} - INTERVAL 1 DAY) = 0) AS mendable
