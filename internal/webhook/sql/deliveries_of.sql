-- The newest $2 deliveries for a webhook, the newest first.
SELECT webhook_deliveries.event_id, webhook_events.type, webhook_events.batch_id, webhook_deliveries.created_at,
       webhook_deliveries.attempts, webhook_deliveries.tried_at, webhook_deliveries.status,
       webhook_deliveries.failure, webhook_deliveries.reply, webhook_deliveries.due_at, webhook_deliveries.ended
FROM webhook_deliveries
JOIN webhook_events ON webhook_events.id = webhook_deliveries.event_id
WHERE webhook_deliveries.webhook_id = $1
ORDER BY webhook_deliveries.created_at DESC, webhook_deliveries.event_id DESC
LIMIT $2
