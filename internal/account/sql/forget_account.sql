-- What is left is an id that says nothing: the counts of its requests belong to it.
UPDATE accounts SET email = $1, alerts = FALSE, monthly_summary = FALSE, forgotten_at = $2 WHERE id = $3
