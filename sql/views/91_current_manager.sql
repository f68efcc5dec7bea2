-- manager, of the current batch.
--   SELECT * FROM current_manager LIMIT 10
CREATE OR REPLACE VIEW current_manager AS
SELECT * EXCEPT (batch) FROM manager WHERE batch = (SELECT max(batch) FROM batch)
