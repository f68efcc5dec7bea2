-- How many batches are known, and the newest cutoff among them; '' without one.
SELECT count(*), COALESCE(max(as_of), '') FROM alert_batch
