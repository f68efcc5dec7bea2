-- The days of a period that have data, and whether they are complete (RULES 7).
--   from, to  first and last day
SELECT date, complete
FROM market_completeness
WHERE batch = {batch:UInt64} AND has_data AND date BETWEEN {from:Date} AND {to:Date}
ORDER BY date
