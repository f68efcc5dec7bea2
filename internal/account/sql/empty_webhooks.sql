-- With them go their secrets and deliveries.
DELETE FROM webhooks
