-- Price returns of every series on each day of a period, as batch N sees them: of each
-- day the newest build up to N that no failed batch made.
--   SELECT * FROM batch_return_day(batch = 7, from = '2025-07-20', to = '2025-07-20')
CREATE OR REPLACE VIEW batch_return_day AS
SELECT * EXCEPT (build)
FROM return_day
WHERE date BETWEEN {from:Date} AND {to:Date}
  AND (date, build) IN parts.newest_builds_between(list: return_day_version)
