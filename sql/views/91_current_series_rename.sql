-- series_rename, of the current batch.
--   SELECT * FROM current_series_rename LIMIT 10
CREATE OR REPLACE VIEW current_series_rename AS
SELECT * EXCEPT (batch) FROM series_rename WHERE batch = (SELECT max(batch) FROM batch)
