-- The cost rates of each series by month (RULES 2): all real if any real month is known,
-- else all synthetic. A month that is both stated and computed has the stated rate, as
-- tac_kind says. It covers the series in the list, or every series if all_series is set.
--   SELECT * FROM batch_tac_history(batch = 7, series = [4047362302], all_series = false) ORDER BY month
CREATE OR REPLACE VIEW batch_tac_history AS
SELECT series_id, month, tac_kind, kind, source, tac, cost_days, investor_class
FROM batch_tac_rate(batch = {batch:UInt64}, series = {series:Array(UInt32)}, all_series = {all_series:Bool})
ORDER BY series_id, month, tac_kind = 'stated' DESC
LIMIT 1 BY series_id, month
