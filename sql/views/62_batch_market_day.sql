-- The daily market as batch N sees it: for each day the newest build up to N that no failed
-- batch made.
--   SELECT * FROM batch_market_day(batch = 7, from = '2025-07-20', to = '2025-07-20')
CREATE OR REPLACE VIEW batch_market_day AS
SELECT * EXCEPT (build)
FROM market_day
WHERE date BETWEEN {from:Date} AND {to:Date}
  AND (date, build) IN
  (
      SELECT date, max(build) FROM market_day_version
      WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure))
        AND date BETWEEN {from:Date} AND {to:Date} GROUP BY date
  )
