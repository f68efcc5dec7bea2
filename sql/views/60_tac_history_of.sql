-- The cost rates of each series by month, real throughout where any real month is
-- known, else synthetic (RULES 2). A month that is both stated and computed has the
-- stated rate; tac_kind tells. An empty list of series means all of them.
--   SELECT * FROM tac_history_of(batch = 7, series = [4047362302]) ORDER BY month
CREATE OR REPLACE VIEW tac_history_of AS
SELECT series_id, month, tac_kind, kind, source, tac, cost_days, investor_class
FROM tac_rate_of(batch = {batch:UInt64}, series = {series:Array(UInt32)})
ORDER BY series_id, month, tac_kind = 'stated' DESC
LIMIT 1 BY series_id, month
