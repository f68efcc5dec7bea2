-- The series of a saved screen in a batch. A screen that was saved anew meanwhile stays as it is.
UPDATE saved_screens SET found = $1, found_in = $2 WHERE account_id = $3 AND name = $4 AND query = $5
