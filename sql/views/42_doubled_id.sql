-- Rows of the registry that must be deleted, so that each key has one id and each id has
-- one key. Two projectors that give out ids at the same time can leave such rows. The id
-- that the published batch uses stays, else the one of the lower batch, else the lower id
-- or key.
--   SELECT * FROM doubled_id
CREATE OR REPLACE VIEW doubled_id AS
WITH
    used AS
    (
        SELECT 'manager' AS kind, manager_id AS id, concat('agf:', ifNull(rut, cuota_words(name))) AS key
        FROM manager WHERE batch = (SELECT max(batch) FROM batch)
        UNION ALL
        SELECT 'fund', fund_id, concat('fund:', run) FROM fund WHERE batch = (SELECT max(batch) FROM batch)
        UNION ALL
        SELECT 'series', series_id, concat('series:', run, ':', serie) FROM series WHERE batch = (SELECT max(batch) FROM batch)
        UNION ALL
        SELECT 'series', label_id, concat('series:', cuota_rol(run), ':', serie) FROM series_label WHERE batch = (SELECT max(batch) FROM batch)
        UNION ALL
        SELECT 'fi_series', assumeNotNull(series_id), concat('fi:', run, ':', ifNull(serie, ''))
        FROM fi_instrument WHERE batch = (SELECT max(batch) FROM batch) AND series_id IS NOT NULL
    ),
    given AS
    (
        SELECT DISTINCT
            toString(kind) AS kind, id, key, batch,
            transform(kind, ['fi_series'], ['series']) AS space, -- both kinds of series share one
            (kind, id, key) NOT IN (SELECT kind, id, key FROM used) AS unused
        FROM registry
    )
SELECT kind, id, key, batch
FROM
(
    SELECT
        kind, id, key, batch,
        row_number() OVER (PARTITION BY space, id ORDER BY unused, batch, key) AS of_id,
        row_number() OVER (PARTITION BY kind, key ORDER BY unused, batch, id)  AS of_key
    FROM given
)
WHERE of_id > 1 OR of_key > 1
