-- Alerts: a batch is known before its events are written down.

-- +goose Up

-- The row of a batch comes before its events now. recorded_at is when all of them
-- were in alert_event; NULL: they are being written, or whoever did so has gone.
ALTER TABLE alert_batch ADD COLUMN recorded_at BIGINT;
UPDATE alert_batch SET recorded_at = found_at;

-- Events whose batch has no row were written by a process that ended before it could
-- add one. Nobody was told of them: they are to be found again.
DELETE FROM alert_event WHERE batch_id IS NOT NULL AND batch_id NOT IN (SELECT batch_id FROM alert_batch);
