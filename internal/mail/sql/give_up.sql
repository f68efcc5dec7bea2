-- A message that is not tried again: what it said is erased. Not if somebody else
-- has taken it since.
UPDATE outbox SET sealed = NULL, given_up_at = $1, failure = $2 WHERE id = $3 AND attempts = $4 AND sealed IS NOT NULL
