-- The saved screens of the next people after $1, by id, who want alerts, each with the ids that it had in the last
-- batch of which its person was told.
SELECT name, query, found
FROM saved_screens
WHERE account_id IN
(
    SELECT id FROM accounts
    WHERE alerts AND forgotten_at IS NULL AND id > $1 AND id IN (SELECT account_id FROM saved_screens)
    ORDER BY id
    LIMIT $2
)
ORDER BY account_id, name
