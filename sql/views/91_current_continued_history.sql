-- continued_history, of the current batch.
--   SELECT * FROM current_continued_history LIMIT 10
CREATE OR REPLACE VIEW current_continued_history AS
SELECT * EXCEPT (batch) FROM continued_history WHERE batch = (SELECT max(batch) FROM batch)
