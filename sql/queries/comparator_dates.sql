-- The dates of the regulator's return comparators that the batch has, in ascending order.
SELECT DISTINCT date
FROM fact_official_return
WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
ORDER BY date
