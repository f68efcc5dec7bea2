-- Monthly cost rates of series from a date on, oldest first, each with its kind. A rate
-- is null if the computed value is not a valid rate (RULES 2).
--   all_series  true: every series, whatever the list
--   kind        synthetic, stated or computed; empty: real throughout where any real
--               month is known, the stated rate of a month before the computed one,
--               else synthetic
SELECT series_id, month, tac, tac_kind
FROM tac_month
WHERE batch = {batch:UInt64} AND ({all_series:Bool} OR series_id IN {series:Array(UInt32)}) AND month >= {from_date:Date}
  AND (tac_kind = {kind:String}
       OR {kind:String} = '' AND (series_id, month, tac_kind) IN
       (
           SELECT series_id, month, tac_kind
           FROM batch_tac_history(batch = {batch:UInt64}, series = {series:Array(UInt32)}, all_series = {all_series:Bool})
       ))
ORDER BY series_id, month
