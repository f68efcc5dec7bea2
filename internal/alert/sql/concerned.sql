-- The next people after $2, by id, who want alerts, and who have a saved screen or watch a
-- series of which batch $1 announces something.
SELECT id
FROM accounts
WHERE alerts AND forgotten_at IS NULL AND id > $2
  AND (id IN (SELECT account_id FROM saved_screens)
       OR id IN (SELECT watchlist.account_id
                 FROM alert_event
                 JOIN watchlist ON watchlist.series_id = alert_event.series_id
                 WHERE alert_event.batch_id = $1))
ORDER BY id
LIMIT $3
