-- Secrets that sign no more at $1.
DELETE FROM webhook_secrets WHERE ends_at <= $1
