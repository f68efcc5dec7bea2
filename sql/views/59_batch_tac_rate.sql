-- The cost rates of each series by month (RULES 2): real rates, stated and computed, if any
-- real month is known, else synthetic rates. A month has a row for each tac_kind. It covers
-- the series in the list, or every series if all_series is set.
--   SELECT * FROM batch_tac_rate(batch = 7, series = [4047362302], all_series = false) ORDER BY month
CREATE OR REPLACE VIEW batch_tac_rate AS
SELECT series_id, month, tac_kind, kind, source, tac, cost_days, decimals, investor_class
FROM
(
    -- A window and not a subquery, so that a filter by series_id also limits what is read to choose the kind.
    SELECT *, max(kind = 'real' AND tac IS NOT NULL) OVER (PARTITION BY series_id) AS known
    FROM tac_month
    WHERE batch = {batch:UInt64}
      AND ({all_series:Bool} OR series_id IN {series:Array(UInt32)})
)
WHERE kind = if(known, 'real', 'synthetic')
