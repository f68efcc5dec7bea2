-- window_target, of the current batch.
--   SELECT * FROM current_window_target LIMIT 10
CREATE OR REPLACE VIEW current_window_target AS
SELECT * EXCEPT (batch) FROM window_target WHERE batch = (SELECT max(batch) FROM batch)
