-- The current secret of webhook $2 signs until $1 only.
UPDATE webhook_secrets SET ends_at = $1 WHERE webhook_id = $2 AND ends_at IS NULL
