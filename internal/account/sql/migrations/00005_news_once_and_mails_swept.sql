-- Alerts: a batch is known before its events are written down. Mails: those that
-- nobody waits for any more go.

-- +goose Up

-- The row of a batch comes before its events now. recorded_at is when all of them
-- were in alert_event; NULL: they are being written, or whoever did so has gone.
ALTER TABLE alert_batch ADD COLUMN recorded_at BIGINT;
UPDATE alert_batch SET recorded_at = found_at;

-- Events whose batch has no row were written by a process that ended before it could
-- add one. Nobody was told of them: they are to be found again.
DELETE FROM alert_event WHERE batch_id IS NOT NULL AND batch_id NOT IN (SELECT batch_id FROM alert_batch);

-- When a mail is worth nothing any more, as one with a link is when the link has
-- expired: it is not sent then, and its row goes once it is sent, given up or too
-- late. NULL: it is sent late, and its id is kept, so that it is sent once.
ALTER TABLE outbox ADD COLUMN expires_at BIGINT;
UPDATE outbox SET expires_at = created_at + 3600000 WHERE id LIKE 'link-%'; -- no link is valid for longer
CREATE INDEX outbox_by_expiry ON outbox (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX outbox_by_age ON outbox (created_at);
