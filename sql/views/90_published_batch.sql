-- Every batch that was published: when, when the next one was, whether it is kept, so that its
-- rows can be read, and whether rows of it were lost since. Batches that were retired before
-- this list was begun are missing.
--   SELECT batch, published_at FROM published_batch WHERE kept AND NOT damaged ORDER BY batch DESC
CREATE OR REPLACE VIEW published_batch AS
SELECT
    batch, batch_id, published_at, as_of_date,
    -- Null for the newest.
    anyOrNull(published_at) OVER (ORDER BY batch ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING) AS superseded_at,
    batch IN (SELECT batch FROM batch)        AS kept,
    batch IN (SELECT batch FROM batch_damage) AS damaged
FROM
(
    SELECT batch, batch_id, published_at, as_of_date FROM publication
    UNION DISTINCT
    SELECT batch, batch_id, calculated_at, as_of_date FROM batch
)
