-- What is sent to webhook $1 of event $2, and where.
SELECT webhooks.address, webhooks.disabled_at IS NOT NULL, webhook_events.type, webhook_events.body
FROM webhooks, webhook_events
WHERE webhooks.id = $1 AND webhook_events.id = $2
