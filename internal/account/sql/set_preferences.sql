-- NULL leaves a preference as it is.
UPDATE accounts
SET alerts = COALESCE(CAST($2 AS BOOLEAN), alerts), monthly_summary = COALESCE(CAST($3 AS BOOLEAN), monthly_summary)
WHERE id = $1 AND forgotten_at IS NULL
RETURNING email, alerts, monthly_summary
