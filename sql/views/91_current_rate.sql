-- rate, of the current batch.
--   SELECT * FROM current_rate LIMIT 10
CREATE OR REPLACE VIEW current_rate AS
SELECT * EXCEPT (batch) FROM rate WHERE batch = (SELECT max(batch) FROM batch)
