-- The newest quote of each series on or before each day of a period, as batch N sees them: of each
-- day the newest build up to N that no failed batch made.
--   SELECT * FROM batch_standing_quote(batch = 7, from = '2025-07-20', to = '2025-07-20')
CREATE OR REPLACE VIEW batch_standing_quote AS
SELECT * EXCEPT (build)
FROM standing_quote
WHERE date BETWEEN {from:Date} AND {to:Date}
  AND (date, build) IN
  (
      SELECT date, max(build) FROM return_day_version
      WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure))
        AND date BETWEEN {from:Date} AND {to:Date} GROUP BY date
  )
