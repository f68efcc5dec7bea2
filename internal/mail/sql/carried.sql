-- A message that arrived: what it said is erased.
UPDATE outbox SET sealed = NULL, sent_at = $1 WHERE id = $2
