-- How much of each dataset is in a batch, and how new it is. Dates are null for files that
-- speak of no day. due_on is the day by which the next data should be here; null if nothing is expected.
SELECT toString(complete.dataset) AS dataset,
    parts.datasets_of_batch
ORDER BY dataset
