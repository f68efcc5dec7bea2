-- The current cartola row of each series and day between {from} and {to}, as batch N sees it. Of all
-- rows in its files, the one with the highest revision counts, then the greater hash, then the later
-- line, then the valid row: a later version of the program may have accepted a row that an
-- earlier one rejected. The choice remembers every series and day that it has seen, so memory
-- grows with the days between {from} and {to}.
--   SELECT * FROM batch_quota(batch = 7, from = '2025-07-01', to = '2025-07-31') WHERE run = 9809
CREATE OR REPLACE VIEW batch_quota AS
SELECT *
FROM fact_quota
WHERE date BETWEEN {from:Date} AND {to:Date} AND source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
ORDER BY run, serie, date, revision DESC, source_sha256 DESC, source_line DESC, void
LIMIT 1 BY run, serie, date
