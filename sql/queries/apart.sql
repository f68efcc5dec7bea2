-- Whether this copy differs from the others, in one row. Of several announcements by a copy of a plan the last one counts.
--   copy      its name
--   since     the last plan that was refused here since the published batch, and that another copy has built; 0: none
--   outvoted  the published plan, if more copies announced other rows for it than the rows of this copy; 0: they did not
--   yields    of the plan in which it differs, so many copies announced the same other rows that this copy is probably
--             wrong. Of two groups of copies of the same size, that of the copy that was first is right.
--   mendable  a batch with every day built anew may help, because none was tried
WITH
    (SELECT max(plan) FROM plan_batch WHERE failure = '') AS published,
    (
        SELECT max(plan) FROM plan_batch
        WHERE failure != '' AND plan > published AND plan IN (SELECT plan FROM plan_built WHERE copy != {copy:String})
    ) AS refused,
    (
        SELECT countIf(plan = published) AS was_anew, countIf(plan > published) AS refused_anew FROM batch_plan
        WHERE rebuild AND plan IN (SELECT plan FROM plan_batch WHERE plan = published OR failure != '')
    ) AS tried,
    -- How many copies announced the rows of this copy, how many announced others, and the most that announced the same others.
    (
        SELECT sumIf(copies, ours > 0) AS same, sumIf(copies, ours = 0) AS others, maxIf(copies, ours = 0) AS most
        FROM
        (
            SELECT sums, count() AS copies, countIf(copy = {copy:String}) AS ours
            FROM
            (
                SELECT copy, argMax(arraySort(arrayZip(tables, checksums)), place) AS sums
                FROM plan_built
                WHERE plan = if(refused > 0, refused, published) AND notEmpty(tables)
                GROUP BY copy
            ) AS said
            GROUP BY sums
        ) AS groups
    ) AS votes
SELECT
    refused AS since,
    if(since = 0 AND votes.same > 0 AND votes.others > votes.same, published, 0) AS outvoted,
    since > 0 AND votes.most >= votes.same OR outvoted > 0 AND votes.most > votes.same AS yields,
    (since > 0 OR outvoted > 0 AND tried.was_anew = 0) AND tried.refused_anew = 0 AS mendable
