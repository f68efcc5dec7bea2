-- What batch $1 announces of the series that person $2 watches; once for each
-- event, under however many ids the series is watched.
SELECT DISTINCT kind, current_id, date, fund, run, serie, value_before, value_after, date_before
FROM alert_event
WHERE batch_id = $1 AND series_id IN (SELECT series_id FROM watchlist WHERE account_id = $2)
ORDER BY kind, fund, serie, current_id
