-- The cost rates of a series by month, of one kind throughout (RULES 2): real
-- where any real month is known, else synthetic. An empty list of series means
-- all of them.
--   SELECT * FROM tac_history_of(batch = 7, series = [4047362302]) ORDER BY month
CREATE OR REPLACE VIEW tac_history_of AS
SELECT series_id, month, kind, source, tac, cost_days, investor_class
FROM tac_month
WHERE batch = {batch:UInt64}
  AND (empty({series:Array(UInt32)}) OR series_id IN {series:Array(UInt32)})
  AND (series_id, kind) IN
  (
      SELECT series_id, if(countIf(kind = 'real' AND tac IS NOT NULL) > 0, 'real', 'synthetic')
      FROM tac_month
      WHERE batch = {batch:UInt64}
        AND (empty({series:Array(UInt32)}) OR series_id IN {series:Array(UInt32)})
      GROUP BY series_id
  )
