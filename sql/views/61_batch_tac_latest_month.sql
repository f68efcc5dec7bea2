-- The latest month with any cost rate as batch N sees it; null without any.
--   SELECT month FROM batch_tac_latest_month(batch = 7)
CREATE OR REPLACE VIEW batch_tac_latest_month AS
SELECT maxOrNull(month) AS month FROM batch_tac_history(batch = {batch:UInt64}, series = [], all_series = true) WHERE tac IS NOT NULL
