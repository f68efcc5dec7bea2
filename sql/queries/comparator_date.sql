-- The day of the regulator's return comparator that is in force at a date, always in one row: 1970-01-01 without any.
SELECT max(date) AS newest
FROM fact_official_return
WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64})) AND date <= {as_of:Date}
