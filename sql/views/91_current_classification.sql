-- classification, of the current batch.
--   SELECT * FROM current_classification LIMIT 10
CREATE OR REPLACE VIEW current_classification AS
SELECT * EXCEPT (batch) FROM classification WHERE batch = (SELECT max(batch) FROM batch)
