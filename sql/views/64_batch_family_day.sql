-- Families by day as batch N sees them.
--   SELECT * FROM batch_family_day(batch = 7, from = '2025-07-01', to = '2025-07-20') WHERE family_rar = 'Accionario nacional'
CREATE OR REPLACE VIEW batch_family_day AS
SELECT * EXCEPT (build)
FROM family_day
WHERE date BETWEEN {from:Date} AND {to:Date}
  AND (date, build) IN parts.newest_builds_between(list: market_day_version)
