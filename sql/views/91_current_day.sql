-- day, of the current batch.
--   SELECT * FROM current_day LIMIT 10
CREATE OR REPLACE VIEW current_day AS
SELECT * EXCEPT (batch) FROM day WHERE batch = (SELECT max(batch) FROM batch)
