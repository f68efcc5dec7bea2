-- The months with a cost rate in the history of any series (batch_tac_history), the oldest first.
SELECT DISTINCT history.month AS month
FROM batch_tac_history(batch = {batch:UInt64}, series = [], all_series = true) AS history
WHERE history.tac IS NOT NULL
ORDER BY month
