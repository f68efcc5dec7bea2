-- index_day, of the current batch.
--   SELECT * FROM current_index_day LIMIT 10
CREATE OR REPLACE VIEW current_index_day AS
SELECT * EXCEPT (batch) FROM index_day WHERE batch = (SELECT max(batch) FROM batch)
