-- Deliveries of $1 or earlier, which are tried no more.
DELETE FROM webhook_deliveries WHERE created_at <= $1 AND due_at IS NULL
