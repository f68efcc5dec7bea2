-- The day of a batch whose data are shown for a date, and whether it is complete: the date
-- itself if it has data, else the latest complete day before it (RULES 7 and 8). No row if
-- there is neither.
--   batch  number of the batch
--   date   the date
SELECT date, complete
FROM market_completeness
WHERE batch = {batch:UInt64} AND (complete AND date <= {date:Date} OR has_data AND date = {date:Date})
ORDER BY date DESC
LIMIT 1
