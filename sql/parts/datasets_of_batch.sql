-- How much of each dataset is in the batch, and how new it is.
count() AS files, sum(complete.rows) AS rows, sum(complete.rejected) AS rejected_rows,
min(complete.first_date) AS first_date, max(complete.last_date) AS last_date, max(complete.revision) AS published_at,
any(due.due_on) AS due_on
FROM (SELECT * FROM complete_file FINAL) AS complete
LEFT JOIN (SELECT dataset, due_on FROM dataset_due) AS due ON due.dataset = complete.dataset
WHERE complete.sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
GROUP BY dataset
