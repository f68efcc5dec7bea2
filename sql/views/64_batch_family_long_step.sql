-- Index steps of families that pass over days between, as batch N sees them (RULES 7).
--   SELECT * FROM batch_family_long_step(batch = 7, from = '2025-07-01', to = '2025-07-20')
CREATE OR REPLACE VIEW batch_family_long_step AS
SELECT * EXCEPT (build)
FROM family_long_step
WHERE date BETWEEN {from:Date} AND {to:Date}
  AND (date, build) IN parts.newest_builds_between(list: market_day_version)
