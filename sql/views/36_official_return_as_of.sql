-- The regulator's return comparator in force at a date, as batch N sees it: the newest file
-- dated on or before it, with corrections applied.
--   SELECT * FROM official_return_as_of(batch = 7, as_of = '2025-12-31') WHERE run = 9809
CREATE OR REPLACE VIEW official_return_as_of AS
SELECT *
FROM fact_official_return
WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
  AND date =
  (
      SELECT max(date) FROM fact_official_return
      WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64})) AND date <= {as_of:Date}
  )
ORDER BY run, serie, revision DESC, source_sha256 DESC, source_line DESC
LIMIT 1 BY run, serie
