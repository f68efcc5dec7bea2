-- series_break, of the current batch.
--   SELECT * FROM current_series_break LIMIT 10
CREATE OR REPLACE VIEW current_series_break AS
SELECT * EXCEPT (batch) FROM series_break WHERE batch = (SELECT max(batch) FROM batch)
