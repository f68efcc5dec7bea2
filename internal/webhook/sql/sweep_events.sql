-- Events of $1 or earlier that no log has any more.
DELETE FROM webhook_events WHERE created_at <= $1 AND id NOT IN (SELECT event_id FROM webhook_deliveries)
