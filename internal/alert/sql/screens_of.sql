-- The saved screens of a person, with the ids that they had in the last batch of which the person was told.
SELECT name, query, found FROM saved_screens WHERE account_id = $1 ORDER BY added_at, name
