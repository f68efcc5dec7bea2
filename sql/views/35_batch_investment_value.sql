-- The current values of each series of an investment fund and day, as batch N sees them. Of
-- all rows in its files, the one with the highest revision counts, then the greater hash,
-- then the later line, then the valid row: a later version of the program may have accepted
-- a row that an earlier one rejected.
--   SELECT * FROM batch_investment_value(batch = 7) WHERE run = 9278 AND date = '2025-06-30'
CREATE OR REPLACE VIEW batch_investment_value AS
SELECT *
FROM fact_investment_value
WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
ORDER BY run, serie, date, revision DESC, source_sha256 DESC, source_line DESC, void
LIMIT 1 BY run, serie, date
