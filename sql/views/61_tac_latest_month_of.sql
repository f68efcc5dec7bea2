-- The latest month with any cost rate as batch N sees it; null without any.
--   SELECT month FROM tac_latest_month_of(batch = 7)
CREATE OR REPLACE VIEW tac_latest_month_of AS
SELECT maxOrNull(month) AS month FROM tac_history_of(batch = {batch:UInt64}, series = [], all_series = true) WHERE tac IS NOT NULL
