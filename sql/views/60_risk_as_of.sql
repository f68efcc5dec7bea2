-- The newest risk snapshot of each series on or before a date, as batch N sees it. Its
-- month tells how old it is. It covers the series in the list, or every series if
-- all_series is set.
--   SELECT * FROM risk_as_of(batch = 7, as_of = '2025-07-20', series = [4047362302], all_series = false)
CREATE OR REPLACE VIEW risk_as_of AS
SELECT * EXCEPT (batch)
FROM risk_month
WHERE batch = {batch:UInt64} AND month <= {as_of:Date}
  AND ({all_series:Bool} OR series_id IN {series:Array(UInt32)})
ORDER BY series_id, month DESC
LIMIT 1 BY series_id
