-- The rises and falls of the days that this batch does not compute, copied from the previous batch.
INSERT INTO summary_mover (*)
SELECT {batch:UInt64}, * EXCEPT (batch)
FROM summary_mover
WHERE batch = {previous:UInt64} AND date NOT IN (SELECT date FROM summary_day_version WHERE batch = {batch:UInt64})
