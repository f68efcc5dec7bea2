-- continuation, of the current batch.
--   SELECT * FROM current_continuation LIMIT 10
CREATE OR REPLACE VIEW current_continuation AS
SELECT * EXCEPT (batch) FROM continuation WHERE batch = (SELECT max(batch) FROM batch)
