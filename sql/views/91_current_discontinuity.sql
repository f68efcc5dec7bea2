-- discontinuity, of the current batch.
--   SELECT * FROM current_discontinuity LIMIT 10
CREATE OR REPLACE VIEW current_discontinuity AS
SELECT * EXCEPT (batch) FROM discontinuity WHERE batch = (SELECT max(batch) FROM batch)
