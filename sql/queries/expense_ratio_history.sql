-- Monthly cost rates of a series from a date on, oldest first, of one kind
-- throughout; null where what was computed is no rate (RULES 2).
--   batch      number of the batch
--   series_id  id of the series
--   from_date  first day
SELECT month, tac
FROM tac_history_of(batch = {batch:UInt64}, series = [{series_id:UInt32}])
WHERE month >= {from_date:Date}
ORDER BY month
