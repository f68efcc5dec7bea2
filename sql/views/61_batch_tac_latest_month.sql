-- The latest month with any cost rate that ended by a date, as batch N sees it; null without
-- any.
--   SELECT month FROM batch_tac_latest_month(batch = 7, until = '2149-06-06')
CREATE OR REPLACE VIEW batch_tac_latest_month AS
SELECT maxOrNull(history.month) AS month
FROM batch_tac_history(batch = {batch:UInt64}, series = [], all_series = true) AS history
WHERE history.tac IS NOT NULL AND history.month <= {until:Date}
