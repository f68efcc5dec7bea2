-- Of each webhook the newest $1 deliveries are kept, and those that wait.
DELETE FROM webhook_deliveries
WHERE due_at IS NULL
  AND (webhook_id, event_id) IN
      (SELECT webhook_id, event_id
       FROM (SELECT webhook_id, event_id,
                    row_number() OVER (PARTITION BY webhook_id ORDER BY created_at DESC, event_id DESC) AS place
             FROM webhook_deliveries) AS ranked
       WHERE place > $1)
