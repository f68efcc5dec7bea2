DELETE FROM outbox WHERE recipient = $1
