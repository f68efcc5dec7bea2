-- The series of each day as batch N sees them, as lists (docs/backtests.md, section 3).
--   SELECT * FROM batch_candidate_day(batch = 7, from = '2025-07-01', to = '2025-07-20')
CREATE OR REPLACE VIEW batch_candidate_day AS
SELECT * EXCEPT (build)
FROM candidate_day
WHERE date BETWEEN {from:Date} AND {to:Date}
  AND (date, build) IN parts.newest_builds_between(list: market_day_version)
