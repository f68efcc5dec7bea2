-- The daily market as batch N sees it: for each day the newest build up to N that no failed
-- batch made.
--   SELECT * FROM batch_market_day(batch = 7, from = '2025-07-20', to = '2025-07-20')
CREATE OR REPLACE VIEW batch_market_day AS
SELECT * EXCEPT (build)
FROM market_day
WHERE date BETWEEN {from:Date} AND {to:Date}
  AND (date, build) IN parts.newest_builds_between(list: market_day_version)
