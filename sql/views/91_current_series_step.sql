-- series_step, of the current batch.
--   SELECT * FROM current_series_step WHERE NOT broken LIMIT 10
CREATE OR REPLACE VIEW current_series_step AS
SELECT * EXCEPT (batch) FROM series_step WHERE batch = (SELECT max(batch) FROM batch)
