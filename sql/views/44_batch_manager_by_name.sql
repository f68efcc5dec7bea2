-- The manager that a name means in batch N, by normalised name. If two managers have the
-- name, it is the one with more mutual funds, then the one with the lower id.
--   SELECT * FROM batch_manager_by_name(batch = 7) WHERE words = 'SOYFOCUS'
CREATE OR REPLACE VIEW batch_manager_by_name AS
SELECT cuota_words(name) AS words, manager_id, rut, name
FROM manager
WHERE batch = {batch:UInt64}
ORDER BY mutual_funds DESC, manager_id
LIMIT 1 BY words
