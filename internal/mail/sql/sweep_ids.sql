-- Ids of messages that were enqueued at $1 or earlier.
DELETE FROM outbox WHERE created_at <= $1
