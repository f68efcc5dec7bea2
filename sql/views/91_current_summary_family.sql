-- summary_family, of the current batch.
--   SELECT * FROM current_summary_family WHERE date = '2025-07-18' LIMIT 10
CREATE OR REPLACE VIEW current_summary_family AS
SELECT * EXCEPT (batch) FROM summary_family WHERE batch = (SELECT max(batch) FROM batch)
