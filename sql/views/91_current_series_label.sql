-- series_label, of the current batch.
--   SELECT * FROM current_series_label LIMIT 10
CREATE OR REPLACE VIEW current_series_label AS
SELECT * EXCEPT (batch) FROM series_label WHERE batch = (SELECT max(batch) FROM batch)
