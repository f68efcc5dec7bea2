-- How completely the market has reported the days before the first change of this batch, copied
-- from the previous batch.
--
-- before: market_completeness
INSERT INTO market_completeness (*)
SELECT {batch:UInt64}, * EXCEPT (batch)
FROM market_completeness
WHERE batch = {previous:UInt64}
  AND date NOT IN (SELECT date FROM batch_unjudged_day(batch = {batch:UInt64}, previous = {previous:UInt64}))
