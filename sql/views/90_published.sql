-- The current batch.
--   SELECT * FROM published
CREATE OR REPLACE VIEW published AS
SELECT * FROM batch ORDER BY batch DESC LIMIT 1
