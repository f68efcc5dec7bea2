-- The series of a saved screen. A screen that was saved anew meanwhile stays as it is.
UPDATE saved_screens SET found = $1 WHERE account_id = $2 AND name = $3 AND query = $4
