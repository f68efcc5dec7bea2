-- Deliveries that wait, since when the first of them is due, and those that are in the log and were
-- given up; and webhooks that are disabled.
SELECT
    (SELECT count(*) FROM webhook_deliveries WHERE due_at IS NOT NULL),
    (SELECT min(due_at) FROM webhook_deliveries WHERE due_at IS NOT NULL),
    (SELECT count(*) FROM webhook_deliveries WHERE ended = 'given_up'),
    (SELECT count(*) FROM webhooks WHERE disabled_at IS NOT NULL)
