-- screener, of the current batch.
--   SELECT * FROM current_screener LIMIT 10
CREATE OR REPLACE VIEW current_screener AS
SELECT * EXCEPT (batch) FROM screener WHERE batch = (SELECT max(batch) FROM batch)
