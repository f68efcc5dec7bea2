-- fi_instrument, of the current batch.
--   SELECT * FROM current_fi_instrument LIMIT 10
CREATE OR REPLACE VIEW current_fi_instrument AS
SELECT * EXCEPT (batch) FROM fi_instrument WHERE batch = (SELECT max(batch) FROM batch)
