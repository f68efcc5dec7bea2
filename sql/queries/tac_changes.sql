-- The largest changes of cost rates from the previous month to a month, at most one series
-- for each fund and direction (RULES 2). Patrimony is in millions of the series currency.
--   month      any day of the month
--   direction  up or down; empty: both
--   category   category, whatever case; empty: any
--   limit      greatest number of series in each direction
SELECT fund_id, fund, manager, run, serie, series_id, category, investor_class, toString(currency) AS currency, patrimony, tac_kind, tac, tac_previous, tac_delta, tac_delta_percent,
       equity_clp
FROM batch_tac_change(batch = {batch:UInt64}, month = {month:Date}, direction = {direction:String}, category = {category:String})
ORDER BY abs(tac_delta) DESC, equity_clp DESC NULLS LAST, series_id
LIMIT {limit:UInt32} BY tac_delta > 0
