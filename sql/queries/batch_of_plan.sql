-- The batch that a plan led to: the published one, or the newest that was refused by its checks; 0 if there is none.
SELECT max(batch) AS batch FROM plan_batch WHERE plan = {plan:UInt64}
