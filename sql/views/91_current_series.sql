-- series, of the current batch.
--   SELECT * FROM current_series LIMIT 10
CREATE OR REPLACE VIEW current_series AS
SELECT * EXCEPT (batch) FROM series WHERE batch = (SELECT max(batch) FROM batch)
