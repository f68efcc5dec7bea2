-- Ends the waiting deliveries of webhook $2, which was disabled at $1.
UPDATE webhook_deliveries SET due_at = NULL, ended = 'disabled', ended_at = $1
WHERE webhook_id = $2 AND due_at IS NOT NULL
