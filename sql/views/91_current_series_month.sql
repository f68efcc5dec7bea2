-- series_month, of the current batch.
--   SELECT * FROM current_series_month LIMIT 10
CREATE OR REPLACE VIEW current_series_month AS
SELECT * EXCEPT (batch) FROM series_month WHERE batch = (SELECT max(batch) FROM batch)
