-- risk_month, of the current batch.
--   SELECT * FROM current_risk_month LIMIT 10
CREATE OR REPLACE VIEW current_risk_month AS
SELECT * EXCEPT (batch) FROM risk_month WHERE batch = (SELECT max(batch) FROM batch)
