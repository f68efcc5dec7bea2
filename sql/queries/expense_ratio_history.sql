-- Monthly cost rates of a series from a date on, oldest first, each with its kind. A rate
-- is null if the computed value is not a valid rate (RULES 2).
--   batch      number of the batch
--   series_id  id of the series
--   from_date  first day
--   kind       synthetic, stated or computed; empty: real throughout where any real
--              month is known, the stated rate of a month before the computed one,
--              else synthetic
SELECT month, tac, tac_kind
FROM tac_month
WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32} AND month >= {from_date:Date}
  AND (tac_kind = {kind:String}
       OR {kind:String} = '' AND (month, tac_kind) IN (SELECT month, tac_kind FROM batch_tac_history(batch = {batch:UInt64}, series = [{series_id:UInt32}], all_series = false)))
ORDER BY month
