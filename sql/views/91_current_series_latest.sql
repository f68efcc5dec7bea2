-- series_latest, of the current batch.
--   SELECT * FROM current_series_latest LIMIT 10
CREATE OR REPLACE VIEW current_series_latest AS
SELECT * EXCEPT (batch) FROM series_latest WHERE batch = (SELECT max(batch) FROM batch)
