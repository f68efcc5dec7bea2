-- With them go their secrets and deliveries.
DELETE FROM webhooks WHERE account_id = $1
