-- Mails that wait, which another pepper can't open.
UPDATE outbox SET sealed = NULL, given_up_at = $1, failure = 'the pepper was replaced' WHERE sealed IS NOT NULL
