-- What this copy knows of the others, in one row: until when its servers may answer, and which plans were announced, each
-- with the moment at which servers begin to answer from its batch: the newest one whose moment has come, and those
-- whose moment is to come.
--   now  the time
WITH moments AS
(
    SELECT plan, argMin(built_at, place) AS moment
    FROM plan_built
    WHERE plan + 100 > (SELECT max(plan) FROM plan_built) -- more do not wait for their moment
    GROUP BY plan
)
SELECT heard.caught_up_at AS caught_up_at, heard.valid_ms AS valid_ms, announced.plans AS plans, announced.moments AS moments
FROM (SELECT max(of.caught_up_at) AS caught_up_at, argMax(of.valid_ms, of.caught_up_at) AS valid_ms FROM copy_progress AS of) AS heard
CROSS JOIN
(
    SELECT groupArray(plan) AS plans, groupArray(moment) AS moments
    FROM moments
    WHERE moment > {now:DateTime64(3, 'UTC')}
       OR plan = (SELECT max(plan) FROM moments WHERE moment <= {now:DateTime64(3, 'UTC')})
) AS announced
