-- The risk of the months that this batch does not compute, copied from the previous batch.
INSERT INTO risk_month (*)
WITH (SELECT (min(month), max(month)) FROM batch_recomputed_risk_month(batch = {batch:UInt64}, previous = {previous:UInt64}, as_of = {as_of:Date})) AS reached
SELECT {batch:UInt64}, * EXCEPT (batch)
FROM risk_month
WHERE batch = {previous:UInt64} AND month <= {as_of:Date} AND month NOT BETWEEN reached.1 AND reached.2
