-- The first and the last month whose risk a batch computes. No row if it computes none.
SELECT min(month) AS first_day, max(month) AS last_day
FROM batch_recomputed_risk_month(batch = {batch:UInt64}, previous = {previous:UInt64}, as_of = {as_of:Date})
HAVING count() > 0
