-- Quotes that do not count in batch N, because another name of the same series is quoted on
-- the same day: the name that is valid on the day or, if none of them is valid, the newest
-- name. All other quotes of a renamed series count.
--   SELECT * FROM batch_outranked_quota(batch = 7)
CREATE OR REPLACE VIEW batch_outranked_quota AS
SELECT run, serie, date
FROM
(
    SELECT
        quotes.run AS run, quotes.serie AS serie, quotes.date AS date,
        row_number() OVER (PARTITION BY labels.series_id, quotes.date
                           ORDER BY quotes.date BETWEEN labels.valid_from AND labels.valid_until DESC, labels.position) AS place
    FROM
    (
        SELECT DISTINCT run, serie, date
        FROM fact_quota
        WHERE (run, serie) IN (SELECT run, serie FROM series_label WHERE batch = {batch:UInt64})
          AND source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
    ) AS quotes
    INNER JOIN (SELECT * FROM series_label WHERE batch = {batch:UInt64}) AS labels ON labels.run = quotes.run AND labels.serie = quotes.serie
)
WHERE place > 1
