-- Messages that wait since $2 or longer are given up at $1.
UPDATE outbox SET sealed = NULL, given_up_at = $1, failure = 'waited too long' WHERE created_at <= $2 AND sealed IS NOT NULL
