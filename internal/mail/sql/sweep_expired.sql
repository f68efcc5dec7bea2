-- Messages that were worth nothing any more at $1.
DELETE FROM outbox WHERE expires_at <= $1
