-- How much of each dataset is in a batch, and how new it is. Dates are null for files that
-- speak of no day.
--   batch  number of the batch
SELECT
    toString(complete.dataset) AS dataset, count() AS files, sum(complete.rows) AS rows, sum(complete.rejected) AS rejected_rows,
    min(complete.first_date) AS first_date, max(complete.last_date) AS last_date, max(complete.revision) AS published_at
FROM complete_file AS complete FINAL
WHERE complete.sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
GROUP BY dataset
ORDER BY dataset
