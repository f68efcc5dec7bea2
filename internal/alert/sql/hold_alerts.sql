-- The address of a person who still wants alerts. The update changes nothing, but
-- whoever changes the same account waits.
UPDATE accounts SET alerts = alerts WHERE id = $1 AND alerts AND forgotten_at IS NULL RETURNING email
