-- fund, of the current batch.
--   SELECT * FROM current_fund LIMIT 10
CREATE OR REPLACE VIEW current_fund AS
SELECT * EXCEPT (batch) FROM fund WHERE batch = (SELECT max(batch) FROM batch)
