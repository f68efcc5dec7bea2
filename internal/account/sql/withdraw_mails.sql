-- Mails of a list that wait for $2, who has left it.
UPDATE outbox SET sealed = NULL, given_up_at = $1, failure = 'unsubscribed' WHERE recipient = $2 AND list = $3 AND sealed IS NOT NULL
