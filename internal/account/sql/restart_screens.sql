-- Whoever wants alerts again later is told of what changes from then on.
UPDATE saved_screens SET found = NULL WHERE account_id = $1 AND found IS NOT NULL
