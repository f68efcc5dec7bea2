-- series_return, of the current batch.
--   SELECT * FROM current_series_return LIMIT 10
CREATE OR REPLACE VIEW current_series_return AS
SELECT * EXCEPT (batch) FROM series_return WHERE batch = (SELECT max(batch) FROM batch)
