-- TABLE, of the current batch.
--   SELECT * FROM current_TABLE LIMIT 10
CREATE OR REPLACE VIEW current_TABLE AS
SELECT * EXCEPT (batch) FROM TABLE WHERE batch = (SELECT max(batch) FROM batch)
