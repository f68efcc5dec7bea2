-- An event under one of the ids that find its series; no row when it was known.
INSERT INTO alert_event (series_id, kind, date, batch_id, current_id, fund, run, serie, value_before, value_after, date_before)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT (series_id, kind, date) DO NOTHING
RETURNING series_id
