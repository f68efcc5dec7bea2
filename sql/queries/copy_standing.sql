-- What these tables know of other copies, in one row: how long they may be answered from, and the last two plans
-- that a copy with a name announced first, each with the moment at which servers begin to answer from its batch.
SELECT heard.heard_at AS heard_at, heard.valid_ms AS valid_ms, announced.plans AS plans, announced.moments AS moments
FROM (SELECT max(of.heard_at) AS heard_at, argMax(of.valid_ms, of.heard_at) AS valid_ms FROM copy_heard AS of) AS heard
CROSS JOIN
(
    SELECT groupArray(plan) AS plans, groupArray(moment) AS moments
    FROM
    (
        SELECT plan, argMin(built_at, place) AS moment
        FROM plan_built
        GROUP BY plan
        HAVING argMin(copy, place) != ''
        ORDER BY plan DESC
        LIMIT 2
    )
) AS announced
