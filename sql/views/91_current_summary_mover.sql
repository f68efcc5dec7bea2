-- summary_mover, of the current batch.
--   SELECT * FROM current_summary_mover WHERE date = '2025-07-18' LIMIT 10
CREATE OR REPLACE VIEW current_summary_mover AS
SELECT * EXCEPT (batch) FROM summary_mover WHERE batch = (SELECT max(batch) FROM batch)
