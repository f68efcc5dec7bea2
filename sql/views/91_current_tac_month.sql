-- tac_month, of the current batch.
--   SELECT * FROM current_tac_month LIMIT 10
CREATE OR REPLACE VIEW current_tac_month AS
SELECT * EXCEPT (batch) FROM tac_month WHERE batch = (SELECT max(batch) FROM batch)
