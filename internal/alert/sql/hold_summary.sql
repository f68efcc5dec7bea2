-- The address of a person who still wants the monthly summary, held as in
-- hold_alerts.
UPDATE accounts SET monthly_summary = monthly_summary WHERE id = $1 AND monthly_summary AND forgotten_at IS NULL RETURNING email
