-- An event that was known under another id of the series: nobody is mailed.
UPDATE alert_event SET batch_id = NULL WHERE series_id = $1 AND kind = $2 AND date = $3
