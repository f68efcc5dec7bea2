-- The last moment at which servers begin to answer from a batch, of those that were announced.
SELECT max(moment) AS last_moment
FROM
(
    SELECT argMin(built_at, place) AS moment
    FROM plan_built
    WHERE plan + 100 > (SELECT max(plan) FROM plan_built) -- more do not wait for their moment
    GROUP BY plan
)
