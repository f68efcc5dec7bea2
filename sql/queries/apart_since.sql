-- The last plan that was refused here since the published batch, and that another copy has built; 0 if there is none.
--   copy  the name of this copy
SELECT max(plan) AS since FROM plan_batch
WHERE failure != '' AND plan > (SELECT max(plan) FROM plan_batch WHERE failure = '')
  AND plan IN (SELECT plan FROM plan_built WHERE copy != {copy:String})
