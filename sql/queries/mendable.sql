-- The values for the statements that drop doubled rows (sql/garbage). Both lists are empty
-- unless two projectors built at the same time.
--   failures  batches that are noted as failed although they were published
--   ids       rows of doubled_id, as (id, batch, hash of kind and key)
SELECT
    (SELECT count() FROM batch_failure WHERE batch IN (SELECT batch FROM batch)) + (SELECT count() FROM doubled_id) AS mendable,
    toString((SELECT groupArray(batch) FROM (SELECT DISTINCT batch FROM batch_failure WHERE batch IN (SELECT batch FROM batch) ORDER BY batch))) AS failures,
    toString((SELECT groupArray((id, batch, cityHash64(kind, key))) FROM (SELECT * FROM doubled_id ORDER BY id, batch, kind, key))) AS ids
