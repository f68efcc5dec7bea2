-- The newest month that has a summary, and whether everybody has it. No row: none.
SELECT month, handled_at IS NOT NULL FROM summary_month ORDER BY month DESC LIMIT 1
