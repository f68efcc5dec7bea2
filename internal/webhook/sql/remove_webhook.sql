-- With it go its secrets and deliveries.
DELETE FROM webhooks WHERE id = $1 AND account_id = $2 RETURNING id
