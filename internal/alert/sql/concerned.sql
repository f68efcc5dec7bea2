-- The next people after $2, by id, who want alerts and watch a series of which
-- batch $1 announces something.
SELECT DISTINCT accounts.id
FROM alert_event
JOIN watchlist ON watchlist.series_id = alert_event.series_id
JOIN accounts ON accounts.id = watchlist.account_id
WHERE alert_event.batch_id = $1 AND accounts.alerts AND accounts.forgotten_at IS NULL AND accounts.id > $2
ORDER BY accounts.id
LIMIT $3
